// Calls the module as programs do that were written for RedisBloom, with go-redis: clients/README.md.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/redis/go-redis/v9"
)

var ctx = context.Background()

// An answer, or the end.
func got[T any](answer T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return answer
}

func text(answer any) string {
	switch value := answer.(type) {
	case bool:
		if value {
			return "1"
		}
		return "0"
	case []bool:
		return joined(value)
	case []int64:
		return joined(value)
	case []string:
		return joined(value)
	case string:
		if value == "" { // nil, among strings
			return "-"
		}
	}
	return fmt.Sprint(answer)
}

func joined[T any](answers []T) string {
	all := ""
	for i, answer := range answers {
		if i > 0 {
			all += " "
		}
		all += text(answer)
	}
	return all
}

func show(name string, answers ...any) {
	fmt.Println(name, joined(answers))
}

func bloom(r *redis.Client) {
	show("bf.reserve", got(r.BFReserve(ctx, "bf", 0.01, 1000).Result()))
	show("bf.add", got(r.BFAdd(ctx, "bf", "a").Result()), got(r.BFAdd(ctx, "bf", "a").Result()))
	show("bf.madd", got(r.BFMAdd(ctx, "bf", "a", "b").Result()))
	show("bf.exists", got(r.BFExists(ctx, "bf", "a").Result()))
	show("bf.mexists", got(r.BFMExists(ctx, "bf", "a", "x").Result()))
	show("bf.card", got(r.BFCard(ctx, "bf").Result()))
	show("bf.insert", got(r.BFInsert(ctx, "made", &redis.BFInsertOptions{Capacity: 10, Error: 0.1}, "a", "b").Result()))
	info := got(r.BFInfo(ctx, "bf").Result())
	show("bf.info", info.Capacity, info.ItemsInserted)
	for chunk := got(r.BFScanDump(ctx, "bf", 0).Result()); chunk.Iter != 0; chunk = got(r.BFScanDump(ctx, "bf", chunk.Iter).Result()) {
		got(r.BFLoadChunk(ctx, "copy", chunk.Iter, chunk.Data).Result())
	}
	show("bf.loadchunk", got(r.BFMExists(ctx, "copy", "a", "b", "x").Result()))
}

func counts(r *redis.Client) {
	show("cms.initbyprob", got(r.CMSInitByProb(ctx, "cms", 0.001, 0.01).Result()), got(r.CMSInitByProb(ctx, "sum", 0.001, 0.01).Result()))
	show("cms.incrby", got(r.CMSIncrBy(ctx, "cms", "a", 5, "b", 7).Result()))
	show("cms.query", got(r.CMSQuery(ctx, "cms", "a", "x").Result()))
	show("cms.merge", got(r.CMSMergeWithWeight(ctx, "sum", map[string]int64{"cms": 2}).Result()), got(r.CMSQuery(ctx, "sum", "a").Result()))
	info := got(r.CMSInfo(ctx, "cms").Result())
	show("cms.info", info.Width, info.Depth, info.Count)
}

func tops(r *redis.Client) {
	show("topk.reserve", got(r.TopKReserveWithOptions(ctx, "topk", 2, 8, 7, 0.9).Result()))
	show("topk.add", got(r.TopKAdd(ctx, "topk", "a", "b", "b", "c").Result()))
	show("topk.query", got(r.TopKQuery(ctx, "topk", "b", "a").Result()))
	show("topk.list", got(r.TopKList(ctx, "topk").Result()))
	info := got(r.TopKInfo(ctx, "topk").Result())
	show("topk.info", info.K, info.Width, info.Depth)
}

func cuckoo(r *redis.Client) {
	show("cf.reserve", got(r.CFReserve(ctx, "cf", 1000).Result()))
	show("cf.add", got(r.CFAdd(ctx, "cf", "a").Result()))
	show("cf.addnx", got(r.CFAddNX(ctx, "cf", "a").Result()))
	show("cf.count", got(r.CFCount(ctx, "cf", "a").Result()))
	show("cf.insert", got(r.CFInsert(ctx, "cf", &redis.CFInsertOptions{NoCreate: true}, "b", "c").Result()))
	show("cf.exists", got(r.CFExists(ctx, "cf", "b").Result()))
	show("cf.del", got(r.CFDel(ctx, "cf", "b").Result()), got(r.CFExists(ctx, "cf", "b").Result()))
	info := got(r.CFInfo(ctx, "cf").Result())
	show("cf.info", info.NumItemsInserted, info.NumItemsDeleted)
}

func main() {
	protocol := got(strconv.Atoi(os.Args[2]))
	r := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + os.Args[1], Protocol: protocol})
	defer r.Close()
	bloom(r)
	counts(r)
	tops(r)
	cuckoo(r)
}
