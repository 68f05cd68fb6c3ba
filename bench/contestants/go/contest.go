// What a contestant in Go needs besides its sketch: keys, a clock, the questions of bench/run.py and the
// answers to them. bench/README.md has the protocol.

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"time"
)

const (
	added   = 0
	missing = 1
	width   = 16      // bytes of a string
	work    = 1000000 // keys that the clock runs for, at least
)

// A question, and its keys: numbers, or strings of 16 bytes, one after another.
type question struct {
	name, workload, form string
	count, threads       int
	ints                 [2][]uint64
	texts                [2][]byte
	sum                  uint64
}

// A filter that was made for a question; ask returns how many of a series are found.
type filter interface {
	add(asked *question)
	ask(asked *question, series int) int
	bytes() uint64
}

type way struct {
	name, workload, forms string
	most                  int
	how                   string
	make                  func(asked *question) filter
}

func mix(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (q *question) makeSeries(series int) {
	ints := make([]uint64, q.count)
	for i := range ints {
		ints[i] = mix(uint64(series)<<40 + uint64(i) + 1)
	}
	if q.form == "u64" {
		q.ints[series] = ints
		for _, key := range ints {
			q.sum += key
		}
		return
	}
	texts := make([]byte, width*q.count)
	for i, key := range ints {
		for j := 0; j < width; j++ {
			texts[width*i+j] = "0123456789abcdef"[key>>(60-4*j)&15]
		}
	}
	for i := 0; i < len(texts); i += 8 {
		q.sum += binary.LittleEndian.Uint64(texts[i:])
	}
	q.texts[series] = texts
}

func (q *question) giveKeys(last *question) {
	if last.form == q.form && last.count == q.count {
		q.ints, q.texts, q.sum = last.ints, last.texts, last.sum
		return
	}
	*last = question{}
	q.makeSeries(added)
	q.makeSeries(missing)
	*last = *q
}

func eachNs(taken time.Duration, keys int) float64 {
	return float64(taken.Nanoseconds()) / float64(keys)
}

func measure(w *way, q *question) {
	times := 1
	if q.count < work {
		times = work / q.count
	}
	var adding time.Duration
	var sketch filter
	for i := 0; i < times; i++ {
		sketch = w.make(q)
		start := time.Now()
		sketch.add(q)
		adding += time.Since(start)
	}
	var found [2]int
	var asking [2]float64
	for series := range found {
		start := time.Now()
		for i := 0; i < times; i++ {
			found[series] = sketch.ask(q, series)
		}
		asking[series] = eachNs(time.Since(start), times*q.count)
	}
	fmt.Printf("add=%.4f hit=%.4f found=%d miss=%.4f wrong=%d bytes=%d sum=%d\n", eachNs(adding, times*q.count),
		asking[added], found[added], asking[missing], found[missing], sketch.bytes(), q.sum)
}

func find(ways []way, q *question) *way {
	for i := range ways {
		if ways[i].name == q.name && ways[i].workload == q.workload {
			return &ways[i]
		}
	}
	return nil
}

// Lists what is offered, then answers until standard input ends.
func serve(ways []way) {
	for _, w := range ways {
		fmt.Printf("offers\t%s\t%s\t%s\t%d\t1\t%s\n", w.name, w.workload, w.forms, w.most, w.how)
	}
	fmt.Println("ready")
	var last question
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var q question
		if n, _ := fmt.Sscan(lines.Text(), &q.name, &q.workload, &q.form, &q.count, &q.threads); n != 5 {
			fmt.Fprintln(os.Stderr, "contestant: expected NAME WORKLOAD KEYS N THREADS")
			os.Exit(1)
		}
		w := find(ways, &q)
		if w == nil {
			fmt.Println("no such way")
			continue
		}
		q.giveKeys(&last)
		measure(w, &q)
	}
}
