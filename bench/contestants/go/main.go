// The contestant in Go: bits-and-blooms, called as its documentation has it. A number goes in as its eight
// bytes, in a buffer that is used again.

package main

import (
	"encoding/binary"

	"github.com/bits-and-blooms/bloom/v3"
)

const rate = 0.01

type bitsAndBlooms struct {
	filter *bloom.BloomFilter
}

func (b bitsAndBlooms) add(q *question) {
	var key [8]byte
	for _, number := range q.ints[added] {
		binary.LittleEndian.PutUint64(key[:], number)
		b.filter.Add(key[:])
	}
	for at := 0; at < len(q.texts[added]); at += width {
		b.filter.Add(q.texts[added][at : at+width])
	}
}

func (b bitsAndBlooms) ask(q *question, series int) int {
	found := 0
	var key [8]byte
	for _, number := range q.ints[series] {
		binary.LittleEndian.PutUint64(key[:], number)
		if b.filter.Test(key[:]) {
			found++
		}
	}
	for at := 0; at < len(q.texts[series]); at += width {
		if b.filter.Test(q.texts[series][at : at+width]) {
			found++
		}
	}
	return found
}

func (b bitsAndBlooms) bytes() uint64 {
	return uint64(b.filter.Cap()) / 8
}

func main() {
	serve([]way{{"bits-and-blooms", "filter", "u64,str16", 100000000, "NewWithEstimates, Add, Test",
		func(q *question) filter { return bitsAndBlooms{bloom.NewWithEstimates(uint(q.count), rate)} }}})
}
