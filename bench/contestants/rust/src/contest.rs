//! What a contestant in Rust needs besides its sketch: keys, a clock, the questions of bench/run.py
//! and the answers to them. bench/README.md has the protocol.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

pub const ADDED: usize = 0;
pub const MISSING: usize = 1;
const WORK: usize = 1_000_000; // keys that the clock runs for, at least

pub type Text = [u8; 16];

/// The keys of a question: numbers, or strings of 16 bytes.
pub enum Keys {
    Ints([Vec<u64>; 2]),
    Texts([Vec<Text>; 2]),
}

#[derive(Clone, PartialEq, Default)]
pub struct Question {
    pub name: String,
    pub workload: String,
    pub form: String,
    pub count: usize,
    pub threads: usize,
}

/// A sketch that was made for a question. `ask` returns how many keys are found, or the sum of all
/// counts; `answer` how many different keys there are, or how often the heaviest one came.
pub trait Sketch {
    fn add(&mut self, keys: &Keys);
    fn ask(&self, _keys: &Keys, _series: usize) -> u64 {
        0
    }
    fn answer(&self) -> Option<f64> {
        None
    }
    fn bytes(&self) -> usize;
}

pub struct Way {
    pub name: &'static str,
    pub workload: &'static str,
    pub forms: &'static str,
    pub most: u64,
    pub threads: &'static str, // "1", or "1,2"
    pub how: &'static str,
    pub make: fn(&Question) -> Box<dyn Sketch>,
}

pub fn mix(x: u64) -> u64 {
    let mut x = x.wrapping_mul(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d049bb133111eb);
    x ^ (x >> 31)
}

fn skewed(i: u64) -> u64 {
    let draw = mix((2 << 40) + i + 1);
    let size = 1u64 << (((draw >> 32) * 20) >> 32);
    size | (draw & (size - 1))
}

pub fn heaviest() -> u64 {
    mix(1)
}

pub fn hex(key: u64) -> Text {
    let mut text = [0; 16];
    for (i, byte) in text.iter_mut().enumerate() {
        *byte = b"0123456789abcdef"[(key >> (60 - 4 * i) & 15) as usize];
    }
    text
}

fn series(asked: &Question, which: usize) -> Vec<u64> {
    let skew = asked.workload == "frequent";
    let count = if which == MISSING && asked.workload != "filter" { 0 } else { asked.count as u64 };
    (0..count)
        .map(|i| if skew { mix(skewed(i)) } else { mix(((which as u64) << 40) + i + 1) })
        .collect()
}

fn make_keys(asked: &Question) -> Keys {
    let ints = [series(asked, ADDED), series(asked, MISSING)];
    if asked.form == "u64" {
        return Keys::Ints(ints);
    }
    Keys::Texts(ints.map(|all| all.into_iter().map(hex).collect()))
}

fn sum_of(keys: &Keys) -> u64 {
    let add = |sum: u64, key: u64| sum.wrapping_add(key);
    match keys {
        Keys::Ints(all) => all.iter().flatten().copied().fold(0, add),
        Keys::Texts(all) => all
            .iter()
            .flatten()
            .flat_map(|text| text.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())))
            .fold(0, add),
    }
}

fn each_ns(start: Instant, keys: usize) -> f64 {
    start.elapsed().as_nanos() as f64 / keys as f64
}

/// What the clock runs for: adding, or asking for the keys of a series. A function of its own, by whose name
/// counts.py finds it, and to which what it calls returns.
#[no_mangle]
#[inline(never)]
fn contest_timed(sketch: &mut dyn Sketch, keys: &Keys, series: Option<usize>) -> u64 {
    black_box(match series {
        None => {
            sketch.add(keys);
            0
        }
        Some(series) => sketch.ask(keys, series),
    })
}

fn measure(way: &Way, asked: &Question, keys: &Keys, sum: u64) -> String {
    let times = (WORK / asked.count).max(1);
    let (mut adding, mut filled) = (0.0, None);
    for _ in 0..times {
        filled = None; // its memory first
        let mut sketch = (way.make)(asked);
        if asked.workload.starts_with("count") {
            sketch.add(keys); // its memory is there before the clock runs: that of others grows with n
        }
        let start = Instant::now();
        contest_timed(&mut *sketch, keys, None);
        adding += each_ns(start, asked.count * times);
        filled = Some(sketch);
    }
    let mut sketch = filled.unwrap();
    let ask = |sketch: &mut dyn Sketch, series| {
        let start = Instant::now();
        let mut found = 0;
        for _ in 0..times {
            found = contest_timed(sketch, keys, Some(series));
        }
        (each_ns(start, asked.count * times), found)
    };
    let mut said = format!("add={adding:.4} bytes={} sum={sum}", sketch.bytes());
    if asked.workload == "filter" {
        let ((hit, found), (miss, wrong)) = (ask(&mut *sketch, ADDED), ask(&mut *sketch, MISSING));
        said += &format!(" hit={hit:.4} found={found} miss={miss:.4} wrong={wrong}");
    } else if let Some(answer) = sketch.answer() {
        said += &format!(" answer={answer:.0}");
    } else {
        let (asking, found) = ask(&mut *sketch, ADDED);
        said += &format!(" ask={asking:.4} answer={found}");
    }
    said
}

fn parse(line: &str) -> Question {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, workload, form, count, threads] = words[..] else {
        panic!("expected NAME WORKLOAD KEYS N THREADS");
    };
    Question {
        name: name.into(),
        workload: workload.into(),
        form: form.into(),
        count: count.parse().unwrap(),
        threads: threads.parse().unwrap(),
    }
}

/// Lists what is offered, then answers until standard input ends.
pub fn serve(ways: &[Way]) {
    let mut out = std::io::stdout();
    for w in ways {
        let (forms, most) = (w.forms, w.most);
        writeln!(out, "offers\t{}\t{}\t{forms}\t{most}\t{}\t{}", w.name, w.workload, w.threads, w.how).unwrap();
    }
    writeln!(out, "ready").unwrap();
    let mut last = Question::default();
    let (mut keys, mut sum) = (Keys::Ints(Default::default()), 0);
    for line in std::io::stdin().lock().lines() {
        let asked = parse(&line.unwrap());
        let Some(way) = ways.iter().find(|w| w.name == asked.name && w.workload == asked.workload) else {
            writeln!(out, "no such way").unwrap();
            continue;
        };
        if (&last.workload, &last.form, last.count) != (&asked.workload, &asked.form, asked.count) {
            drop(std::mem::replace(&mut keys, Keys::Ints(Default::default()))); // its memory first
            keys = make_keys(&asked);
            sum = sum_of(&keys);
            last = asked.clone();
        }
        writeln!(out, "{}", measure(way, &asked, &keys, sum)).unwrap();
    }
}
