//! The contestants in Rust: fastbloom, sbbf-rs-safe and datasketches, called as their documentation has
//! it where speed is wanted. bench/README.md says why so.

mod contest;

use contest::{heaviest, hex, mix, serve, Keys, Question, Sketch, Way};
use datasketches::bloom::{BloomFilter as DataBloom, BloomFilterBuilder};
use datasketches::countmin::CountMinSketch;
use datasketches::frequencies::FrequentItemsSketch;
use datasketches::hash::value::raw_bytes;
use datasketches::hll::{HllSketch, HllType};
use datasketches::theta::{CompactThetaSketch, ThetaSketch, ThetaSketchBuilder, ThetaUnionBuilder};
use fastbloom::{AtomicBloomFilter, BloomFilter};
use foldhash::fast::FixedState;
use sbbf_rs_safe::Filter;
use wyhash::wyhash;

const RATE: f64 = 0.01;

// ---- fastbloom ------------------------------------------------------------------------------------

impl Sketch for BloomFilter<FixedState> {
    fn add(&mut self, keys: &Keys) {
        match keys {
            Keys::Ints(all) => all[0].iter().for_each(|key| { self.insert(key); }),
            Keys::Texts(all) => all[0].iter().for_each(|key| { self.insert(&key[..]); }),
        }
    }
    fn ask(&self, keys: &Keys, series: usize) -> u64 {
        match keys {
            Keys::Ints(all) => all[series].iter().map(|key| self.contains(key) as u64).sum(),
            Keys::Texts(all) => all[series].iter().map(|key| self.contains(&key[..]) as u64).sum(),
        }
    }
    fn bytes(&self) -> usize {
        self.num_bits() / 8
    }
}

fn make_fastbloom(asked: &Question) -> Box<dyn Sketch> {
    let filter = BloomFilter::with_false_pos(RATE).hasher(FixedState::default());
    Box::new(filter.expected_items(asked.count))
}

/// One filter for all threads, without a lock.
struct Shared(AtomicBloomFilter<FixedState>, usize);

/// What each thread gives for its share of the keys, added up.
fn share_out<K: Sync>(keys: &[K], threads: usize, work: impl Fn(&K) -> u64 + Sync) -> u64 {
    let each = keys.len().div_ceil(threads);
    let some = |part: &[K]| part.iter().map(&work).sum::<u64>();
    std::thread::scope(|scope| {
        let others: Vec<_> = keys.chunks(each).skip(1).map(|part| scope.spawn(|| some(part))).collect();
        some(&keys[..each]) + others.into_iter().map(|other| other.join().unwrap()).sum::<u64>()
    })
}

impl Sketch for Shared {
    fn add(&mut self, keys: &Keys) {
        match keys {
            Keys::Ints(all) => share_out(&all[0], self.1, |key| self.0.insert(key) as u64),
            Keys::Texts(all) => share_out(&all[0], self.1, |key| self.0.insert(&key[..]) as u64),
        };
    }
    fn ask(&self, keys: &Keys, series: usize) -> u64 {
        match keys {
            Keys::Ints(all) => share_out(&all[series], self.1, |key| self.0.contains(key) as u64),
            Keys::Texts(all) => share_out(&all[series], self.1, |key| self.0.contains(&key[..]) as u64),
        }
    }
    fn bytes(&self) -> usize {
        self.0.num_bits() / 8
    }
}

fn make_shared(asked: &Question) -> Box<dyn Sketch> {
    let filter = AtomicBloomFilter::with_false_pos(RATE).hasher(FixedState::default());
    Box::new(Shared(filter.expected_items(asked.count), asked.threads))
}

// ---- sbbf-rs --------------------------------------------------------------------------------------

/// It takes hashes, and leaves them to its user.
struct Blocks(Filter);

/// MurmurHash3's finalizer, the cheapest good hash of a number.
fn fmix(x: u64) -> u64 {
    let x = (x ^ (x >> 33)).wrapping_mul(0xff51afd7ed558ccd);
    let x = (x ^ (x >> 33)).wrapping_mul(0xc4ceb9fe1a85ec53);
    x ^ (x >> 33)
}

impl Sketch for Blocks {
    fn add(&mut self, keys: &Keys) {
        match keys {
            Keys::Ints(all) => all[0].iter().for_each(|key| { self.0.insert_hash(fmix(*key)); }),
            Keys::Texts(all) => all[0].iter().for_each(|key| { self.0.insert_hash(wyhash(key, 0)); }),
        }
    }
    fn ask(&self, keys: &Keys, series: usize) -> u64 {
        match keys {
            Keys::Ints(all) => all[series].iter().map(|key| self.0.contains_hash(fmix(*key)) as u64).sum(),
            Keys::Texts(all) => {
                all[series].iter().map(|key| self.0.contains_hash(wyhash(key, 0)) as u64).sum()
            }
        }
    }
    fn bytes(&self) -> usize {
        self.0.as_bytes().len()
    }
}

/// Whole bits a key are all that it takes: 11 is the least that keeps the rate.
fn make_blocks(asked: &Question) -> Box<dyn Sketch> {
    Box::new(Blocks(Filter::new(11, asked.count)))
}

// ---- datasketches ---------------------------------------------------------------------------------

impl Sketch for DataBloom {
    fn add(&mut self, keys: &Keys) {
        match keys {
            Keys::Ints(all) => all[0].iter().for_each(|key| self.insert(*key)),
            Keys::Texts(all) => all[0].iter().for_each(|key| self.insert(raw_bytes::from_slice(key))),
        }
    }
    fn ask(&self, keys: &Keys, series: usize) -> u64 {
        match keys {
            Keys::Ints(all) => all[series].iter().map(|key| self.contains(key) as u64).sum(),
            Keys::Texts(all) => {
                all[series].iter().map(|key| self.contains(&raw_bytes::from_slice(key)) as u64).sum()
            }
        }
    }
    fn bytes(&self) -> usize {
        self.capacity() / 8
    }
}

fn make_data_bloom(asked: &Question) -> Box<dyn Sketch> {
    Box::new(BloomFilterBuilder::with_accuracy(asked.count as u64, RATE).build().unwrap())
}

impl Sketch for CountMinSketch<i64> {
    fn add(&mut self, keys: &Keys) {
        match keys {
            Keys::Ints(all) => all[0].iter().for_each(|key| self.update(*key)),
            Keys::Texts(all) => all[0].iter().for_each(|key| self.update(raw_bytes::from_slice(key))),
        }
    }
    fn ask(&self, keys: &Keys, series: usize) -> u64 {
        match keys {
            Keys::Ints(all) => all[series].iter().map(|key| self.estimate(*key) as u64).sum(),
            Keys::Texts(all) => {
                all[series].iter().map(|key| self.estimate(raw_bytes::from_slice(key)) as u64).sum()
            }
        }
    }
    fn bytes(&self) -> usize {
        self.num_hashes() as usize * self.num_buckets() as usize * 8
    }
}

fn make_count_min(asked: &Question) -> Box<dyn Sketch> {
    let width = if asked.workload == "count16" { 1 << 16 } else { 1 << 22 };
    Box::new(CountMinSketch::<i64>::new(4, width).unwrap())
}

impl Sketch for HllSketch {
    fn add(&mut self, keys: &Keys) {
        match keys {
            Keys::Ints(all) => all[0].iter().for_each(|key| self.update(*key)),
            Keys::Texts(all) => all[0].iter().for_each(|key| self.update(raw_bytes::from_slice(key))),
        }
    }
    fn answer(&self) -> Option<f64> {
        Some(self.estimate())
    }
    fn bytes(&self) -> usize {
        self.serialize().len()
    }
}

/// A byte for a register is its fastest form.
fn make_hll(_: &Question) -> Box<dyn Sketch> {
    Box::new(HllSketch::new(14, HllType::Hll8).unwrap())
}

/// The default, 2^12 values.
impl Sketch for ThetaSketch {
    fn add(&mut self, keys: &Keys) {
        match keys {
            Keys::Ints(all) => all[0].iter().for_each(|key| self.update(*key)),
            Keys::Texts(all) => all[0].iter().for_each(|key| self.update(raw_bytes::from_slice(key))),
        }
    }
    fn answer(&self) -> Option<f64> {
        Some(self.estimate())
    }
    fn bytes(&self) -> usize {
        self.compact(true).serialize().len()
    }
}

fn make_theta(_: &Question) -> Box<dyn Sketch> {
    Box::new(ThetaSketchBuilder::default().build().unwrap())
}

/// Many ordered sketches, whose union is what the clock runs for.
struct Sets(Vec<CompactThetaSketch>, Option<CompactThetaSketch>);

impl Sketch for Sets {
    fn add(&mut self, _: &Keys) {
        let mut union = ThetaUnionBuilder::default().build().unwrap();
        self.0.iter().for_each(|set| union.update(set).unwrap());
        self.1 = Some(union.to_sketch(true));
    }
    fn answer(&self) -> Option<f64> {
        self.1.as_ref().map(|union| union.estimate())
    }
    fn bytes(&self) -> usize {
        self.0.iter().map(|set| set.serialize().len()).sum()
    }
}

fn make_sets(asked: &Question) -> Box<dyn Sketch> {
    let each = asked.count as u64 / 1000;
    let set = |i: u64| {
        let first = if asked.workload == "union-equal" { 0 } else { i * each };
        let mut set = ThetaSketchBuilder::default().build().unwrap();
        (first..first + each).for_each(|key| set.update(mix(key + 1)));
        set.trim();
        set.compact(true)
    };
    Box::new(Sets((0..1000).map(set).collect(), None))
}

/// 2^12 places for 3 x 2^10 keys: its error, 3.5 / 2^12, is that of 1024 counters or a little less.
const PLACES: usize = 1 << 12;

struct Numbers(FrequentItemsSketch<u64>);

struct Texts(FrequentItemsSketch<contest::Text>);

impl Sketch for Numbers {
    fn add(&mut self, keys: &Keys) {
        if let Keys::Ints(all) = keys {
            all[0].iter().for_each(|key| self.0.update(*key));
        }
    }
    fn answer(&self) -> Option<f64> {
        Some(self.0.estimate(&heaviest()) as f64)
    }
    fn bytes(&self) -> usize {
        self.0.estimated_size()
    }
}

impl Sketch for Texts {
    fn add(&mut self, keys: &Keys) {
        if let Keys::Texts(all) = keys {
            all[0].iter().for_each(|key| self.0.update(*key));
        }
    }
    fn answer(&self) -> Option<f64> {
        Some(self.0.estimate(&hex(heaviest())) as f64)
    }
    fn bytes(&self) -> usize {
        self.0.estimated_size()
    }
}

fn make_frequent(asked: &Question) -> Box<dyn Sketch> {
    if asked.form == "u64" {
        return Box::new(Numbers(FrequentItemsSketch::new(PLACES).unwrap()));
    }
    Box::new(Texts(FrequentItemsSketch::new(PLACES).unwrap()))
}

fn main() {
    let way = |name, workload: &'static str, how, make| {
        let threads = if name == "fastbloom-atomic" { "1,2" } else { "1" };
        let forms = if workload.starts_with("union") { "u64" } else { "u64,str16" };
        Way { name, workload, forms, most: 100_000_000, threads, how, make }
    };
    serve(&[
        way("fastbloom", "filter", "BloomFilter with foldhash's fast hasher", make_fastbloom),
        way("fastbloom-atomic", "filter", "AtomicBloomFilter, the same hasher", make_shared),
        way("sbbf-rs", "filter", "sbbf-rs-safe: fmix64 of numbers, wyhash of strings", make_blocks),
        way("datasketches", "filter", "BloomFilterBuilder::with_accuracy", make_data_bloom),
        way("datasketches", "count16", "CountMinSketch::<i64>", make_count_min),
        way("datasketches", "count22", "CountMinSketch::<i64>", make_count_min),
        way("datasketches", "distinct", "HllSketch, HllType::Hll8", make_hll),
        way("datasketches-theta", "distinct", "ThetaSketch", make_theta),
        way("datasketches", "union", "ThetaUnion of 1,000 ordered CompactThetaSketch", make_sets),
        way("datasketches", "union-equal", "ThetaUnion of 1,000 ordered CompactThetaSketch", make_sets),
        way("datasketches", "frequent", "FrequentItemsSketch of 2^12 places", make_frequent),
    ]);
}
