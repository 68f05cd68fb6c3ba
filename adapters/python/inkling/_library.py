"""The shared library: where it is found, its structs and signatures for ctypes, and one way to call it.

Every struct and function of inkling.h and the headers beside it stands here once, under its C name in CamelCase.
``lib`` releases the interpreter's lock while C works; ``pylib`` keeps it, for calls that are shorter than
letting go is.
"""

from __future__ import annotations

import ctypes
import glob
import importlib
import os
from collections.abc import Callable
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_uint,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

from ._errors import UsageError, from_status
from ._words import WORDS

__version__ = "0.2.0"

# ---- Structs of inkling.h -------------------------------------------------------------------------

MESSAGE_BYTES = 248
NAMED_MAX = 8
SECRET_BYTES = 16
DIGEST_BYTES = 16
OK, UNSUPPORTED, FORMAT, MISMATCH, NOT_FOUND, PROMISE = 0, 2, 4, 5, 6, 7  # of ink_status
KEY_BYTES, KEY_INT = 0, 1
GROUP_NONE, GROUP_NULL, GROUP_BYTES = 0, 1, 2
OPEN_CHECKED, OPEN_LAZY, OPEN_COPY = 0, 1, 2
SECTION_INPUT_SPEC, SECTION_POSITION, SECTION_ORIGIN = 1, 2, 3
OVER_NO, OVER_MAYBE, OVER_YES = 0, 1, 2
ESTIMATORS = {None: 0, "seed": 1, "unlimited": 2}

# An enum of C is an unsigned int to gcc and clang.
c_enum = c_uint


class InkNamed(Structure):
    _fields_ = [("parameter", c_uint16), ("start", c_uint16), ("bytes", c_uint16)]


class InkError(Structure):
    _fields_ = [
        ("status", c_enum),
        ("location", c_enum),
        ("at", c_uint64),
        ("os_error", c_int),
        ("named_count", c_uint32),
        ("named", InkNamed * NAMED_MAX),
        ("message", c_char * MESSAGE_BYTES),
        ("reserved", c_uint64 * 6),
    ]


class InkAllocator(Structure):
    _fields_ = [
        ("resize", c_void_p),
        ("host", c_void_p),
        ("zeroed", c_void_p),
        ("small_pages", c_uint64),
        ("reserved", c_uint64 * 1),
    ]


class InkParams(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("expected_keys", c_uint64),
        ("false_positive_rate", c_double),
        ("bits", c_uint64),
        ("hashes", c_uint32),
        ("ratio", c_double),
        ("epsilon", c_double),
        ("delta", c_double),
        ("width", c_uint64),
        ("depth", c_uint32),
        ("counter_bits", c_uint32),
        ("conservative", c_bool),
        ("top_keys", c_uint32),
        ("phi", c_double),
        ("precision", c_uint32),
        ("key_type", c_enum),
        ("hash", c_char_p),
        ("seed", c_uint64),
        ("has_seed", c_bool),
        ("secret", c_char_p),
        ("max_rate", c_double),
        ("concurrent", c_uint64),
        ("reserved", c_uint64 * 6),
    ]


class InkKindInfo(Structure):
    _fields_ = [
        ("contains", c_bool),
        ("counts", c_bool),
        ("keeps_keys", c_bool),
        ("distinct", c_bool),
        ("dot", c_bool),
        ("weights", c_bool),
        ("removes", c_bool),
        ("sized_by_keys", c_bool),
        ("fixed_size", c_bool),
        ("local", c_bool),
        ("ranks", c_uint8 * 16),
        ("subtracts", c_uint64),
        ("made_whole", c_uint64),
        ("reserved", c_uint64 * 6),
    ]


class InkKey(Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_size_t)]


class InkBatch(Structure):
    _fields_ = [
        ("count", c_size_t),
        ("hashes", c_void_p),
        ("ints", c_void_p),
        ("data", c_void_p),
        ("offsets", c_void_p),
        ("ends", c_void_p),
        ("keys", POINTER(InkKey)),
        ("weights", c_void_p),
        ("records", c_uint64),
        ("one_array", c_uint64),
        ("reserved", c_uint64 * 7),
    ]


class InkAnswer(Structure):
    _fields_ = [
        ("estimate", c_double),
        ("low", c_double),
        ("high", c_double),
        ("confidence", c_double),
        ("saturated", c_bool),
    ]


class InkOverlap(Structure):
    _fields_ = [
        ("a", InkAnswer),
        ("b", InkAnswer),
        ("in_union", InkAnswer),
        ("intersection", InkAnswer),
        ("only_a", InkAnswer),
        ("only_b", InkAnswer),
        ("jaccard", InkAnswer),
        ("a_in_b", InkAnswer),
        ("b_in_a", InkAnswer),
        ("method", c_char_p),
        ("reserved", c_uint64 * 4),
    ]


class InkItem(Structure):
    _fields_ = [
        ("hash", c_uint64),
        ("key", c_void_p),
        ("key_bytes", c_size_t),
        ("key_int", c_int64),
        ("cut", c_bool),
        ("count", InkAnswer),
    ]


class InkMergeOptions(Structure):
    _fields_ = [
        ("max_rate", c_double),
        ("parts", c_bool),
        ("reserved", c_uint64 * 4),
    ]


class InkDescription(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("hash", c_char_p),
        ("key_type", c_enum),
        ("keyed", c_bool),
        ("secret_check", c_uint64),
        ("seed", c_uint64),
        ("records", c_uint64),
        ("expected_keys", c_uint64),
        ("bits", c_uint64),
        ("hashes", c_uint32),
        ("ratio", c_double),
        ("levels", c_uint32),
        ("width", c_uint64),
        ("depth", c_uint32),
        ("counter_bits", c_uint32),
        ("conservative", c_bool),
        ("epsilon", c_double),
        ("delta", c_double),
        ("total", c_uint64),
        ("capacity", c_uint64),
        ("phi", c_double),
        ("missed", c_uint64),
        ("precision", c_uint32),
        ("bytes", c_uint64),
        ("bytes_max", c_uint64),
        ("standard_error", c_double),
        ("bits_per_key", c_double),
        ("target_rate", c_double),
        ("promised_rate", c_double),
        ("read_only", c_bool),
        ("order_free", c_bool),
        ("needs_keys", c_bool),
        ("concurrent", c_uint64),
        ("reserved", c_uint64 * 7),
    ]


class InkTuning(Structure):
    _fields_ = [
        ("instructions", c_char_p),
        ("l1_bytes", c_uint64),
        ("l2_bytes", c_uint64),
        ("caches_known", c_bool),
        ("prefetch_from_bytes", c_uint64),
        ("prefetch_keys", c_uint32),
        ("far_from_bytes", c_uint64),
        ("far_keys", c_uint32),
        ("huge_from_bytes", c_uint64),
        ("sort_from_bytes", c_uint64),
        ("private_to_bytes", c_uint64),
        ("reserved", c_uint64 * 4),
    ]


class InkLabel(Structure):
    _fields_ = [
        ("group_kind", c_enum),
        ("group", c_void_p),
        ("group_bytes", c_size_t),
        ("has_slot", c_bool),
        ("slot", c_int64),
    ]


class InkInfoOptions(Structure):
    _fields_ = [
        ("label", POINTER(InkLabel)),
        ("has_rate", c_bool),
        ("rate", c_double),
        ("digest", c_bool),
        ("origin", c_char_p),
        ("reserved", c_uint64 * 3),
    ]


class InkEntry(Structure):
    _fields_ = [("label", InkLabel), ("sketch", c_void_p)]


class InkSection(Structure):
    _fields_ = [("id", c_uint32), ("critical", c_bool), ("data", c_void_p), ("bytes", c_size_t)]


class InkContents(Structure):
    _fields_ = [
        ("entries", POINTER(InkEntry)),
        ("entry_count", c_size_t),
        ("sections", POINTER(InkSection)),
        ("section_count", c_size_t),
        ("allocator", POINTER(InkAllocator)),
        ("no_overwrite", c_uint64),
        ("reserved", c_uint64 * 3),
    ]


class InkEntryInfo(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("label", InkLabel),
        ("records", c_uint64),
        ("bytes", c_uint64),
        ("reserved", c_uint64 * 4),
    ]


class InkWindow(Structure):
    _fields_ = [
        ("slot_microseconds", c_uint64),
        ("slots", c_uint32),
        ("slots_ahead", c_uint64),
        ("reserved", c_uint64 * 4),
    ]


# ---- Structs of the headers beside it ------------------------------------------------------------

LOOK_BYTES = 8
KEY_COLUMNS_MAX = 16
PHASE_READING, PHASE_FILLING, PHASE_TESTING = 0, 1, 2
FORM_DEFAULT, FORM_LINES, FORM_CSV, FORM_TSV, FORM_NUL, FORM_JSONL, FORM_U32, FORM_U64 = range(8)
KEYS_DEFAULT, KEYS_BYTES, KEYS_INT = 0, 1, 2
ROUND_NONE, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_HALF_AWAY = 0, 1, 2, 3
TIME_SECONDS, TIME_MILLISECONDS, TIME_MICROSECONDS, TIME_NANOSECONDS = 0, 1, 2, 3
ASK_COUNT, ASK_TOP, ASK_DISTINCT, ASK_DOT, ASK_MEMBER, ASK_OVERLAP = 0, 1, 2, 3, 4, 5
ABSENT_KEYS, ABSENT_KEY_BYTES = 5, 64


class InkProgress(Structure):
    _fields_ = [
        ("phase", c_enum),
        ("done", c_uint64),
        ("total", c_uint64),
        ("records", c_uint64),
        ("seconds", c_double),
        ("reserved", c_uint64 * 4),
    ]


ProgressFunction = CFUNCTYPE(c_bool, c_void_p, POINTER(InkProgress))
WriteFunction = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)


class InkTask(Structure):
    _fields_ = [
        ("number", c_uint64),
        ("exclusive", c_uint64),
        ("parallel", c_uint64),
        ("ordered", c_uint64),
        ("bytes", c_uint64),
        ("worker", c_uint32),
        ("nested", c_uint32),
        ("step", c_uint32),
        ("lane", c_uint32),
        ("reserved", c_uint64 * 1),
    ]


class InkRegion(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("workers", c_uint64),
        ("serial", c_uint64),
        ("serial_wall", c_uint64),
        ("wall", c_uint64),
        ("cpu", c_uint64),
        ("exclusive", c_uint64),
        ("ordered", c_uint64),
        ("once", c_uint64),
        ("longest", c_uint64),
        ("waited_input", c_uint64),
        ("waited_order", c_uint64),
        ("waited_end", c_uint64),
        ("waited_other", c_uint64),
        ("bytes", c_uint64),
        ("zeroed", c_uint64),
        ("faults", c_uint64),
        ("task_count", c_uint64),
        ("tasks", POINTER(InkTask)),
        ("listed", c_uint64),
        ("worker_once", POINTER(c_uint64)),
        ("lost", c_uint64),
        ("reserved", c_uint64 * 4),
    ]


RegionFunction = CFUNCTYPE(None, c_void_p, POINTER(InkRegion))


class InkAccount(Structure):
    _fields_ = [
        ("region", RegionFunction),
        ("host", c_void_p),
        ("tasks", c_uint64),
        ("since", c_uint64),
        ("since_wall", c_uint64),
        ("zeroed", c_uint64),
        ("open", c_void_p),
        ("reserved", c_uint64 * 5),
    ]


class InkJob(Structure):
    _fields_ = [
        ("threads", c_uint),
        ("memory_bytes", c_uint64),
        ("temp_folder", c_char_p),
        ("chunk_bytes", c_uint64),
        ("progress", ProgressFunction),
        ("host", c_void_p),
        ("allocator", POINTER(InkAllocator)),
        ("failed_path", c_char_p),
        ("failed_file", c_char_p),
        ("failed_byte", c_uint64),
        ("records", c_uint64),
        ("bad", c_uint64),
        ("nulls", c_uint64),
        ("account", POINTER(InkAccount)),
        ("foreign", c_void_p),
        ("reserved", c_uint64 * 6),
    ]


class InkForeignInfo(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("about", c_char_p),
        ("kind", c_char_p),
        ("lost", c_char_p),
        ("unsaid", c_char_p),
        ("reads", c_bool),
        ("writes", c_bool),
        ("certain", c_bool),
        ("columns", c_bool),
        ("precision", c_bool),
        ("reserved", c_uint64 * 3),
    ]


class InkForeignOptions(Structure):
    _fields_ = [
        ("format", c_char_p),
        ("key_type", c_enum),
        ("hash", c_char_p),
        ("funnel", c_char_p),
        ("column", c_char_p),
        ("precision", c_uint32),
        ("hashes", c_uint32),
        ("bits", c_uint64),
        ("column_of_data", c_bool),
        ("reserved", c_uint64 * 2),
    ]


ForeignTakeFunction = CFUNCTYPE(c_int, c_void_p, POINTER(InkLabel), c_void_p, POINTER(InkError))


class InkInput(Structure):
    _fields_ = [
        ("path", c_char_p),
        ("offset", c_uint64),
        ("bytes", c_uint64),
        ("memory", c_void_p),
        ("memory_bytes", c_uint64),
        ("begun", c_uint8 * LOOK_BYTES),
        ("begun_bytes", c_uint),
        ("arrow", c_void_p),
        ("header", c_char_p),
        ("header_apart", c_bool),
        ("begun_all", c_uint64),
        ("foreign", POINTER(InkForeignOptions)),
        ("reserved", c_uint64 * 2),
    ]


class InkReading(Structure):
    _fields_ = [
        ("form", c_enum),
        ("delimiter", c_char),
        ("blanks", c_bool),
        ("header", c_bool),
        ("multiline", c_bool),
        ("key", POINTER(c_char_p)),
        ("key_count", c_size_t),
        ("keys", c_enum),
        ("by", c_char_p),
        ("round", c_enum),
        ("weight", c_char_p),
        ("time", c_char_p),
        ("time_unit", c_enum),
        ("skip_bad", c_bool),
        ("refuse_nulls", c_bool),
        ("fail_bad", c_uint64),
        ("reserved", c_uint64 * 7),
    ]


class InkBuildOptions(Structure):
    _fields_ = [
        ("kinds", POINTER(InkParams)),
        ("kind_count", c_size_t),
        ("headroom", c_double),
        ("only", c_void_p),
        ("format", c_char_p),
        ("reserved", c_uint64 * 2),
    ]


class InkSink(Structure):
    _fields_ = [("write", WriteFunction), ("host", c_void_p)]


GroupFunction = CFUNCTYPE(c_bool, c_void_p, POINTER(InkLabel))


class InkGroupChoice(Structure):
    _fields_ = [("wanted", GroupFunction), ("host", c_void_p)]


class InkFilterOptions(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("invert", c_bool),
        ("first", c_bool),
        ("plain", c_bool),
        ("by", c_bool),
        ("last", c_size_t),
        ("secret", c_char_p),
        ("group_column", c_char_p),
        ("groups", POINTER(InkGroupChoice)),
        ("reserved", c_uint64 * 2),
    ]


class InkFilterReport(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("functions", c_uint32),
        ("set_records", c_uint64),
        ("groups", c_uint64),
        ("analysed", c_uint64),
        ("admitted", c_uint64),
        ("rejected", c_uint64),
        ("false_groups", c_double),
        ("seconds", c_double),
        ("set_keys", c_uint64),
        ("reserved", c_uint64 * 3),
    ]


class InkVerifyOptions(Structure):
    _fields_ = [
        ("absent", POINTER(InkInput)),
        ("absent_count", c_size_t),
        ("tests_max", c_uint64),
        ("secret", c_char_p),
        ("reserved", c_uint64 * 4),
    ]


class InkVerifyResult(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("label", InkLabel),
        ("membership", c_bool),
        ("ok", c_bool),
        ("tested", c_uint64),
        ("false_positives", c_uint64),
        ("denied", c_uint64),
        ("rate", c_double),
        ("low", c_double),
        ("high", c_double),
        ("target", c_double),
        ("promised", c_double),
        ("current", c_double),
        ("wrong", c_uint64),
        ("missed", c_uint64),
        ("error", c_double),
        ("bound", c_double),
        ("reserved", c_uint64 * 4),
    ]


class InkVerificationSummary(Structure):
    _fields_ = [
        ("ok", c_bool),
        ("filters", c_uint64),
        ("members", c_uint64),
        ("tested", c_uint64),
        ("false_positives", c_uint64),
        ("denied", c_uint64),
        ("expected", c_double),
        ("limit", c_double),
        ("power", c_double),
        ("sampled", c_bool),
        ("random", c_bool),
        ("reserved", c_uint64 * 4),
    ]


class InkUnionOptions(Structure):
    _fields_ = [
        ("question", c_enum),
        ("kind", c_char_p),
        ("last", c_size_t),
        ("secret", c_char_p),
        ("together", c_bool),
        ("reserved", c_uint64 * 3),
    ]


class InkCountRow(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("label", InkLabel),
        ("key", c_void_p),
        ("key_bytes", c_size_t),
        ("count", InkAnswer),
        ("reserved", c_uint64 * 2),
    ]


RowFunction = CFUNCTYPE(c_int, c_void_p, POINTER(InkCountRow))
EndFunction = CFUNCTYPE(c_int, c_void_p)


class InkCountSink(Structure):
    _fields_ = [("row", RowFunction), ("end", EndFunction), ("host", c_void_p)]


class InkOverlapOptions(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("last", c_size_t),
        ("secret", c_char_p),
        ("confidence", c_double),
        ("groups", POINTER(InkGroupChoice)),
        ("reserved", c_uint64 * 4),
    ]


class InkOverlapRow(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("label", InkLabel),
        ("a", c_size_t),
        ("b", c_size_t),
        ("overlap", InkOverlap),
        ("reserved", c_uint64 * 2),
    ]


OverlapFunction = CFUNCTYPE(c_int, c_void_p, POINTER(InkOverlapRow))


class InkOverlapSink(Structure):
    _fields_ = [("row", OverlapFunction), ("host", c_void_p)]


class InkUniqOptions(Structure):
    _fields_ = [
        ("expected_keys", c_uint64),
        ("rate", c_double),
        ("seed", c_uint64),
        ("has_seed", c_bool),
        ("secret", c_char_p),
        ("invert", c_bool),
        ("reserved", c_uint64 * 4),
    ]


class InkUniqReport(Structure):
    _fields_ = [
        ("records", c_uint64),
        ("first", c_uint64),
        ("lost", c_double),
        ("lost_high", c_uint64),
        ("expected_keys", c_uint64),
        ("bytes", c_uint64),
        ("rate", c_double),
        ("seconds", c_double),
        ("reserved", c_uint64 * 4),
    ]


class InkDedupRow(Structure):
    _fields_ = [
        ("path", c_char_p),
        ("line", c_uint64),
        ("id", c_void_p),
        ("id_bytes", c_size_t),
        ("level", c_enum),
        ("whole", c_bool),
        ("texts", c_uint64),
        ("removed", c_uint64),
        ("earlier_path", c_char_p),
        ("earlier_line", c_uint64),
        ("reserved", c_uint64 * 4),
    ]


DedupFunction = CFUNCTYPE(c_int, c_void_p, POINTER(InkDedupRow))


class InkDedupSink(Structure):
    _fields_ = [("row", DedupFunction), ("host", c_void_p)]


class InkDedupOptions(Structure):
    _fields_ = [
        ("exact", c_bool),
        ("paragraphs", c_bool),
        ("ngrams", c_uint32),
        ("ngrams_of_bytes", c_bool),
        ("lower", c_bool),
        ("strip_punctuation", c_bool),
        ("overlap", c_double),
        ("near", c_double),
        ("text", c_char_p),
        ("id", c_char_p),
        ("bad", c_enum),
        ("folder", c_char_p),
        ("overwrite", c_bool),
        ("mark", c_bool),
        ("expected_keys", c_uint64),
        ("rate", c_double),
        ("max_rate", c_double),
        ("seen", c_char_p),
        ("against", c_char_p),
        ("rows", POINTER(InkDedupSink)),
        ("every", c_uint64),
        ("reserved", c_uint64 * 8),
    ]


class InkDedupCount(Structure):
    _fields_ = [
        ("used", c_bool),
        ("table", c_bool),
        ("texts", c_uint64),
        ("first", c_uint64),
        ("removed", c_uint64),
        ("removed_bytes", c_uint64),
        ("wrong", c_double),
        ("wrong_high", c_uint64),
        ("expected_keys", c_uint64),
        ("promised_rate", c_double),
        ("rate", c_double),
        ("bytes", c_uint64),
        ("passes", c_uint64),
        ("reserved", c_uint64 * 3),
    ]


class InkDedupReport(Structure):
    _fields_ = [
        ("files", c_uint64),
        ("documents", c_uint64),
        ("bytes", c_uint64),
        ("kept", c_uint64),
        ("kept_bytes", c_uint64),
        ("bad", c_uint64),
        ("emptied", c_uint64),
        ("changed", c_uint64),
        ("levels", InkDedupCount * 4),
        ("seconds", c_double),
        ("failed_path", c_char * 4096),
        ("done_before", c_bool),
        ("reserved", c_uint64 * 7),
    ]


class InkDedupLevelPlan(Structure):
    _fields_ = [
        ("used", c_bool),
        ("table", c_bool),
        ("keys", c_uint64),
        ("rate", c_double),
        ("bytes", c_uint64),
        ("passes", c_uint64),
        ("disk_bytes", c_uint64),
        ("reserved", c_uint64 * 4),
    ]


class InkDedupPlan(Structure):
    _fields_ = [
        ("files", c_uint64),
        ("bytes", c_uint64),
        ("levels", InkDedupLevelPlan * 4),
        ("work_bytes", c_uint64),
        ("memory_bytes", c_uint64),
        ("permutations", c_uint32),
        ("bands", c_uint32),
        ("rows", c_uint32),
        ("near", c_double),
        ("failed_path", c_char * 4096),
        ("reserved", c_uint64 * 8),
    ]


class InkUpdateOptions(Structure):
    _fields_ = [
        ("remove", c_bool),
        ("once", c_bool),
        ("max_rate", c_double),
        ("secret", c_char_p),
        ("reserved", c_uint64 * 4),
    ]


class InkAbsentKey(Structure):
    _fields_ = [
        ("path", c_char_p),
        ("line", c_uint64),
        ("key", c_uint8 * ABSENT_KEY_BYTES),
        ("key_bytes", c_size_t),
        ("fewer", c_bool),
    ]


class InkUpdateReport(Structure):
    _fields_ = [
        ("changed", c_uint64),
        ("sketches", c_uint64),
        ("made", c_uint64),
        ("stuck", c_uint64),
        ("absent", c_uint64),
        ("absent_keys", InkAbsentKey * ABSENT_KEYS),
        ("key_columns", c_size_t),
        ("grouped", c_bool),
        ("reserved", c_uint64 * 4),
    ]


class InkArrowReport(Structure):
    _fields_ = [
        ("rows", c_uint64),
        ("nulls", c_uint64),
        ("reserved", c_uint64 * 4),
    ]


class InkPiecesOptions(Structure):
    _fields_ = [
        ("build", POINTER(InkBuildOptions)),
        ("buckets", c_uint32),
        ("ranged", c_bool),
        ("together", c_bool),
        ("piece_bytes", c_uint64),
        ("slice_bytes", c_uint64),
        ("counts", c_void_p),
        ("sizes", c_void_p),
        ("reserved", c_uint64 * 4),
    ]


TakeFunction = CFUNCTYPE(c_int, c_void_p, c_uint32, c_void_p, c_size_t)


class InkPieceSink(Structure):
    _fields_ = [("take", TakeFunction), ("host", c_void_p)]


class InkPiecesPlan(Structure):
    _fields_ = [
        ("count", c_bool),
        ("measure", c_bool),
        ("ranged", c_bool),
        ("buckets", c_uint32),
        ("reserved", c_uint64 * 4),
    ]


class InkStreamReport(Structure):
    _fields_ = [
        ("batches", c_uint64),
        ("records", c_uint64),
        ("bad", c_uint64),
        ("late", c_uint64),
        ("cut", c_uint64),
        ("saved_batches", c_uint64),
        ("saved_records", c_uint64),
        ("questions", c_uint64),
        ("train_connections", c_uint64),
        ("ask_connections", c_uint64),
        ("ended", c_bool),
        ("timed", c_bool),
        ("newest", c_int64),
        ("seconds", c_double),
        ("run_records", c_uint64),
        ("passed_rate", c_double),
        ("reserved", c_uint64 * 8),
    ]


AnswerFunction = CFUNCTYPE(
    c_int, c_void_p, c_void_p, c_void_p, c_size_t, POINTER(InkSink), POINTER(InkError)
)
NotifyFunction = CFUNCTYPE(None, c_void_p, c_enum, POINTER(InkStreamReport), c_char_p)


class InkStreamOptions(Structure):
    _fields_ = [
        ("train", POINTER(c_char_p)),
        ("train_count", c_size_t),
        ("ask", c_char_p),
        ("folder", c_char_p),
        ("follow", c_bool),
        ("kinds", POINTER(InkParams)),
        ("kind_count", c_size_t),
        ("every_records", c_uint64),
        ("every_microseconds", c_uint64),
        ("checkpoint_batches", c_uint64),
        ("window_microseconds", c_uint64),
        ("slots", c_uint32),
        ("renew", c_bool),
        ("views", c_bool),
        ("answer", AnswerFunction),
        ("answers", POINTER(InkSink)),
        ("notify", NotifyFunction),
        ("host", c_void_p),
        ("reserved", c_uint64 * 8),
    ]


class InkQueryAnswer(Structure):
    _fields_ = [
        ("view", c_void_p),
        ("sketch", c_void_p),
        ("index", c_size_t),
        ("description", InkDescription),
        ("question", c_enum),
        ("query", c_void_p),
        ("key", c_void_p),
        ("query_bytes", c_size_t),
        ("key_bytes", c_size_t),
        ("seen", c_bool),
        ("number", InkAnswer),
        ("items", POINTER(InkItem)),
        ("item_count", c_size_t),
        ("wanted", c_size_t),
        ("reserved", c_uint64 * 4),
    ]


WriteAnswerFunction = CFUNCTYPE(
    c_int, c_void_p, POINTER(InkQueryAnswer), POINTER(InkSink), POINTER(InkError)
)
ShowFunction = CFUNCTYPE(c_size_t, c_void_p, c_size_t, c_void_p, c_size_t)


class InkQueryOptions(Structure):
    _fields_ = [
        ("key_columns", c_size_t),
        ("allocator", POINTER(InkAllocator)),
        ("write", WriteAnswerFunction),
        ("show", ShowFunction),
        ("host", c_void_p),
        ("reserved", c_uint64 * 4),
    ]


class InkGeneration(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("records", c_uint64),
        ("seed", c_uint64),
        ("skew", c_double),
        ("sample", c_uint64),
        ("sample_sink", POINTER(InkSink)),
        ("reserved", c_uint64 * 4),
    ]


WantedFunction = CFUNCTYPE(c_bool, c_void_p, POINTER(InkLabel))

# ---- Signatures -----------------------------------------------------------------------------------

_error = POINTER(InkError)
_allocator = POINTER(InkAllocator)
_params = POINTER(InkParams)
_batch = POINTER(InkBatch)
_answer = POINTER(InkAnswer)
_item = POINTER(InkItem)
_merge = POINTER(InkMergeOptions)
_description = POINTER(InkDescription)
_label = POINTER(InkLabel)
_entry = POINTER(InkEntry)
_section = POINTER(InkSection)
_contents = POINTER(InkContents)
_job = POINTER(InkJob)
_input = POINTER(InkInput)
_reading = POINTER(InkReading)
_sink = POINTER(InkSink)
_pieces = POINTER(InkPiecesOptions)
_piece_sink = POINTER(InkPieceSink)
_arrow_report = POINTER(InkArrowReport)
_stream_report = POINTER(InkStreamReport)
_foreign_out = POINTER(POINTER(InkForeignInfo))
_size = POINTER(c_size_t)
_double = POINTER(c_double)
_u64 = POINTER(c_uint64)
_handle_out = POINTER(c_void_p)
_handle = c_void_p
_flags = c_void_p  # uint8_t answers: the address of a buffer, or a ctypes array

_STATUS_CALLS: dict[str, tuple[Any, ...]] = {
    "ink_kind_describe": (c_char_p, POINTER(InkKindInfo)),
    "ink_kind_takes": (_params,),
    "ink_tuning_chosen": (POINTER(InkTuning),),
    "ink_sketch_create": (_handle_out, _params, _allocator),
    "ink_sketch_copy": (_handle_out, _handle, _allocator),
    "ink_sketch_create_like": (_handle_out, _handle, _allocator),
    "ink_sketch_share": (_handle,),
    "ink_sketch_add": (_handle, c_void_p, c_size_t),
    "ink_sketch_add_int": (_handle, c_int64),
    "ink_sketch_add_weight": (_handle, c_void_p, c_size_t, c_uint64),
    "ink_sketch_add_weight_int": (_handle, c_int64, c_uint64),
    "ink_sketch_add_new": (_handle, c_void_p, c_size_t, POINTER(c_bool)),
    "ink_sketch_add_new_int": (_handle, c_int64, POINTER(c_bool)),
    "ink_sketch_remove": (_handle, c_void_p, c_size_t),
    "ink_sketch_remove_int": (_handle, c_int64),
    "ink_sketch_contains": (_handle, c_void_p, c_size_t, POINTER(c_bool)),
    "ink_sketch_contains_int": (_handle, c_int64, POINTER(c_bool)),
    "ink_sketch_add_batch": (_handle, _batch),
    "ink_sketch_check_batch": (_handle, _batch),
    "ink_add_each": (_handle_out, _batch),
    "ink_job_add_batch": (_handle, _batch, _job),
    "ink_sketch_add_new_batch": (_handle, _batch, _flags),
    "ink_sketch_remove_batch": (_handle, _batch),
    "ink_sketch_contains_batch": (_handle, _batch, _flags),
    "ink_sketch_hash_batch": (_handle, _batch, c_void_p),
    "ink_sketch_count": (_handle, c_void_p, c_size_t, _answer),
    "ink_sketch_count_int": (_handle, c_int64, _answer),
    "ink_sketch_count_batch": (_handle, _batch, c_void_p),
    "ink_sketch_over_batch": (_handle, _batch, c_uint64, _flags),
    "ink_sketch_top": (_handle, _item, c_size_t, _size),
    "ink_sketch_over": (_handle, c_uint64, _item, c_size_t, _size),
    "ink_sketch_dot": (_handle, _handle, _answer),
    "ink_sketch_overlap": (_handle, _handle, c_double, POINTER(InkOverlap)),
    "ink_sketch_distinct": (_handle, c_double, _answer),
    "ink_sketch_distinct_by": (_handle, c_enum, c_double, _answer),
    "ink_sketch_rate": (_handle, _double),
    "ink_sketch_merge": (_handle, _handle, _merge),
    "ink_sketch_intersect": (_handle, _handle),
    "ink_sketch_subtract": (_handle, _handle),
    "ink_sketch_fold": (_handle, c_uint64),
    "ink_sketch_fold_to_rate": (_handle, c_double, _u64),
    "ink_sketch_convert": (_handle_out, _handle, c_char_p, _allocator),
    "ink_sketch_info_json": (
        _handle,
        POINTER(InkInfoOptions),
        c_void_p,
        c_size_t,
        _size,
    ),
    "ink_plan": (_params, _description),
    "ink_plan_filled": (_params, c_uint64, _description),
    "ink_sketch_encode": (_handle, _handle_out, _size),
    "ink_sketch_encoded_bytes": (_handle, _size),
    "ink_sketch_write": (_handle, POINTER(InkSink)),
    "ink_sketch_encode_to": (_handle, c_void_p, c_size_t, _size),
    "ink_sketch_view": (_handle_out, c_void_p, c_size_t, c_uint, _allocator),
    "ink_identity": (c_void_p, c_size_t, c_void_p),
    "ink_sketch_decode": (_handle_out, c_void_p, c_size_t, _allocator),
    "ink_decoder_create": (_handle_out, _allocator),
    "ink_decoder_write": (_handle, c_void_p, c_size_t),
    "ink_decoder_finish": (_handle, _handle_out),
    "ink_sketch_unlock": (_handle, c_char_p),
    "ink_sketch_save": (_handle, c_char_p),
    "ink_sketch_load": (_handle_out, c_char_p, _allocator),
    "ink_sketch_digest": (_handle, c_void_p),
    "ink_sketch_payload": (_handle, c_void_p, c_size_t),
    "ink_contents_save": (c_char_p, _contents),
    "ink_contents_encode": (_contents, _handle_out, _size),
    "ink_contents_write": (_contents, POINTER(InkSink)),
    "ink_file_open": (_handle_out, c_char_p, c_uint, _allocator),
    "ink_file_decode": (_handle_out, c_void_p, c_size_t, c_uint, _allocator),
    "ink_file_check": (_handle,),
    "ink_file_entry": (_handle, c_size_t, POINTER(InkEntryInfo)),
    "ink_file_find": (_handle, c_char_p, _label, _size),
    "ink_file_sketch": (_handle, c_size_t, _handle_out),
    "ink_file_section": (_handle, c_size_t, _section),
    "ink_file_digest": (_handle, c_void_p),
    "ink_file_last": (_handle, c_char_p, _label, c_size_t, _handle_out),
    "ink_file_between": (_handle, c_char_p, _label, c_int64, c_int64, _handle_out),
    "ink_draft_create": (_handle_out, _params, c_uint64, _allocator),
    "ink_draft_add_batch": (_handle, _batch),
    "ink_draft_merge": (_handle, _handle),
    "ink_draft_finish": (_handle_out, _handle, c_double),
    "ink_draft_encoded_bytes": (_handle, _size),
    "ink_draft_encode_to": (_handle, c_void_p, c_size_t, _size),
    "ink_draft_decode": (_handle_out, c_void_p, c_size_t, c_uint64, _allocator),
    "ink_ring_create": (_handle_out, _params, POINTER(InkWindow), _allocator),
    "ink_ring_slot": (_handle, c_int64, _handle_out),
    "ink_ring_move": (_handle, c_int64),
    "ink_ring_last": (_handle, c_size_t, _handle_out),
    "ink_ring_entry": (_handle, c_size_t, _label, _entry),
    "ink_ring_load": (_handle, _handle, _label),
    "ink_set_entry": (_handle, c_size_t, _entry),
    "ink_set_take": (_handle, c_size_t, _handle_out),
    "ink_set_input_spec": (_handle, _section),
    "ink_set_save": (_handle, c_char_p),
    "ink_set_save_to": (_handle, c_char_p, c_bool),
    "ink_set_encode": (_handle, _handle_out, _size),
    "ink_file_open_any": (_handle_out, c_char_p, _allocator),
    "ink_input_spec_read": (_handle_out, _handle, _reading),
    "ink_reading_form": (_reading, _input, c_size_t, POINTER(c_enum)),
    "ink_reading_complete": (_reading, _reading, c_bool, _input, c_size_t),
    "ink_build": (_handle_out, _input, c_size_t, _reading, POINTER(InkBuildOptions), _job),
    "ink_filter": (
        _handle,
        _input,
        c_size_t,
        _reading,
        POINTER(InkFilterOptions),
        _sink,
        POINTER(InkFilterReport),
        _job,
    ),
    "ink_verify": (_handle_out, _handle, _input, c_size_t, _reading, POINTER(InkVerifyOptions), _job),
    "ink_stream_open": (_handle_out, _reading, POINTER(InkStreamOptions), _job),
    "ink_stream_run": (_handle,),
    "ink_stream_view_sketch": (_handle, c_size_t, _handle_out),
    "ink_stream_view_rate": (_handle, c_size_t, _double),
    "ink_query_line": (POINTER(InkQueryOptions), _handle, c_void_p, c_size_t, _sink),
    "ink_verification_row": (_handle, c_size_t, POINTER(InkVerifyResult)),
    "ink_inputs_look": (_input, c_size_t, POINTER(c_bool), _job),
    "ink_union_files": (_handle_out, _input, c_size_t, POINTER(InkUnionOptions), _job),
    "ink_distinct_entries": (_entry, c_size_t, c_enum, c_double, _answer, _job),
    "ink_overlap_files": (_input, c_size_t, POINTER(InkOverlapOptions), POINTER(InkOverlapSink), _job),
    "ink_overlap_sets": (POINTER(_handle), c_size_t, POINTER(InkOverlapOptions), POINTER(InkOverlapSink), _job),
    "ink_count_keys": (_handle, _input, c_size_t, _reading, POINTER(InkCountSink), _job),
    "ink_uniq": (_input, c_size_t, _reading, POINTER(InkUniqOptions), _sink, POINTER(InkUniqReport), _job),
    "ink_dedup": (
        POINTER(c_char_p),
        c_size_t,
        _reading,
        POINTER(InkDedupOptions),
        POINTER(InkDedupReport),
        _job,
    ),
    "ink_plan_dedup": (
        POINTER(c_char_p),
        c_size_t,
        _reading,
        POINTER(InkDedupOptions),
        POINTER(InkDedupPlan),
        _job,
    ),
    "ink_dedup_texts_open": (_handle_out, POINTER(InkDedupOptions), _job),
    "ink_dedup_texts_add": (_handle, POINTER(InkBatch)),
    "ink_dedup_texts_finish": (_handle, _flags, POINTER(InkDedupReport)),
    "ink_update": (
        c_char_p,
        _input,
        c_size_t,
        _reading,
        POINTER(InkUpdateOptions),
        POINTER(InkUpdateReport),
        _job,
    ),
    "ink_arrow_key_type": (c_void_p, _reading, POINTER(c_enum)),
    "ink_arrow_add": (_handle, c_void_p, c_void_p, _reading, _arrow_report),
    "ink_job_add_array": (_handle, c_void_p, c_void_p, _reading, _job),
    "ink_arrow_dedup": (_handle, c_void_p, c_void_p, _reading, _flags, _arrow_report),
    "ink_arrow_add_new": (_handle, c_void_p, c_void_p, _reading, _flags, _arrow_report),
    "ink_arrow_remove": (_handle, c_void_p, c_void_p, _reading, _arrow_report),
    "ink_arrow_contains": (_handle, c_void_p, c_void_p, _reading, _flags, _arrow_report),
    "ink_arrow_count": (_handle, c_void_p, c_void_p, _reading, c_void_p, _arrow_report),
    "ink_arrow_filters_create": (_handle_out, _handle, POINTER(InkFilterOptions), _allocator),
    "ink_arrow_filters_rows": (_handle, c_void_p, c_void_p, _reading, _flags, _arrow_report),
    "ink_pieces_plan_for": (
        _reading,
        POINTER(InkBuildOptions),
        c_uint64,
        c_uint32,
        c_uint64,
        POINTER(InkPiecesPlan),
    ),
    "ink_map": (_input, c_size_t, _reading, _pieces, _piece_sink, _job),
    "ink_map_count": (_input, c_size_t, _reading, _pieces, _piece_sink, _job),
    "ink_reducer_create": (_handle_out, _reading, _pieces, _job),
    "ink_reducer_add": (_handle, c_void_p, c_size_t),
    "ink_reducer_finish": (_handle, _piece_sink),
    "ink_reducer_measure": (_handle, _piece_sink),
    "ink_reducer_relay": (_handle, _piece_sink),
    "ink_sizes_create": (_handle_out, _allocator),
    "ink_sizes_add": (_handle, c_void_p, c_size_t),
    "ink_sizes_encode": (_handle, _handle_out, _size),
    "ink_sizes_keys": (_handle, _label, _u64),
    "ink_assembly_open": (_handle_out, c_char_p, _allocator),
    "ink_assembly_add": (_handle, c_void_p, c_size_t),
    "ink_assembly_save": (_handle, c_char_p, _reading, _input, c_size_t),
    "ink_assembly_write": (_handle, _sink, _reading, _input, c_size_t),
    "ink_assembly_count": (_handle, _size),
    "ink_assembly_entry": (_handle, c_size_t, _entry),
    "ink_verify_pieces": (
        _handle_out,
        _handle,
        _input,
        c_size_t,
        _reading,
        _pieces,
        c_uint32,
        POINTER(InkVerifyOptions),
        _job,
    ),
    "ink_verification_create": (_handle_out, _handle, c_uint32, c_char_p, _allocator),
    "ink_verification_encode": (_handle, _handle_out, _size),
    "ink_verification_add": (_handle, c_void_p, c_size_t),
    "ink_merge_files": (_handle_out, POINTER(c_char_p), c_size_t, _merge, _job),
    "ink_fold_file": (_handle_out, c_char_p, c_double, c_uint64, _job),
    "ink_convert": (_handle_out, _input, _job, _foreign_out),
    "ink_foreign_read": (
        c_void_p,
        c_size_t,
        POINTER(InkForeignOptions),
        ForeignTakeFunction,
        c_void_p,
        _foreign_out,
        _allocator,
    ),
    "ink_foreign_write": (_handle, c_char_p, _sink),
    "ink_foreign_params": (c_char_p, _params),
    "ink_generate": (POINTER(InkGeneration), _sink, _job),
    "ink_output_begin": (_handle_out, c_char_p),
    "ink_output_open": (_handle_out, c_char_p, c_bool),
    "ink_job_open": (_handle_out, c_char_p, _job),
    "ink_job_open_input": (_handle_out, _input, _job),
    "ink_job_save": (_handle, c_char_p, c_bool, _job),
    "ink_output_target": (c_char_p, c_char_p),
    "ink_output_write": (_handle, c_void_p, c_size_t),
    "ink_output_commit": (_handle,),
}

_OTHER_CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "ink_version": (c_char_p, ()),
    "ink_status_name": (c_char_p, (c_enum,)),
    "ink_parameter_name": (c_char_p, (c_size_t,)),
    "ink_error_text": (c_size_t, (_error, c_char_p, c_size_t)),
    "ink_error_text_named": (c_size_t, (_error, POINTER(c_char_p), c_size_t, c_char_p, c_size_t)),
    "ink_kind_name": (c_char_p, (c_size_t,)),
    "ink_hash_name": (c_char_p, (c_size_t,)),
    "ink_dedup_level_name": (c_char_p, (c_enum,)),
    "ink_dedup_chance_compared": (c_double, (POINTER(InkDedupPlan), c_double)),
    "ink_dedup_chance_removed": (c_double, (POINTER(InkDedupPlan), c_double)),
    "ink_dedup_texts_count": (c_uint64, (_handle,)),
    "ink_dedup_texts_free": (None, (_handle,)),
    "ink_sketch_free": (None, (_handle,)),
    "ink_sketch_kind": (c_char_p, (_handle,)),
    "ink_sketch_memory": (c_uint64, (_handle,)),
    "ink_sketch_allocator": (None, (_handle, POINTER(InkAllocator))),
    "ink_sketch_describe": (None, (_handle, _description)),
    "ink_sketch_maybe": (c_int, (_handle, c_void_p, c_size_t)),
    "ink_sketch_maybe_int": (c_int, (_handle, c_int64)),
    "ink_sketch_times": (c_int64, (_handle, c_void_p, c_size_t)),
    "ink_sketch_times_int": (c_int64, (_handle, c_int64)),
    "ink_rate_holds": (c_bool, (_description, c_double)),
    "ink_nearest_whole": (c_uint64, (c_double,)),
    "ink_answer_is_better": (c_bool, (_answer, _answer)),
    "ink_json_text": (c_size_t, (c_void_p, c_size_t, c_void_p, c_size_t)),
    "ink_printable_character": (c_size_t, (c_void_p, c_size_t)),
    "ink_is_utf8": (c_bool, (c_void_p, c_size_t)),
    "ink_hex_text": (c_size_t, (c_void_p, c_size_t, c_void_p, c_size_t)),
    "ink_real_text": (c_size_t, (c_double, c_void_p)),
    "ink_bytes_free": (None, (c_void_p, c_size_t, _allocator)),
    "ink_decoder_free": (None, (_handle,)),
    "ink_group": (InkLabel, (c_char_p,)),
    "ink_label_compare": (c_int, (_label, _label)),
    "ink_is_file": (c_bool, (c_void_p, c_size_t)),
    "ink_file_close": (None, (_handle,)),
    "ink_file_count": (c_size_t, (_handle,)),
    "ink_file_origin": (c_char_p, (_handle,)),
    "ink_draft_free": (None, (_handle,)),
    "ink_draft_keys": (c_uint64, (_handle,)),
    "ink_draft_memory": (c_uint64, (_handle,)),
    "ink_ring_free": (None, (_handle,)),
    "ink_ring_count": (c_size_t, (_handle,)),
    "ink_ring_next": (c_bool, (_handle, _size, _label, _entry)),
    "ink_foreign": (POINTER(InkForeignInfo), (c_size_t,)),
    "ink_foreign_certain": (POINTER(InkForeignInfo), (c_void_p, c_size_t)),
    "ink_set_free": (None, (_handle,)),
    "ink_set_count": (c_size_t, (_handle,)),
    "ink_set_input_spec_dropped": (c_bool, (_handle,)),
    "ink_set_keep": (None, (_handle, WantedFunction, c_void_p)),
    "ink_set_key_columns": (c_size_t, (_handle,)),
    "ink_tuple_next": (c_bool, (_handle_out, _size, _handle_out, _size)),
    "ink_input_spec_free": (None, (_handle,)),
    "ink_reading_text": (c_size_t, (_reading, c_char_p, c_size_t)),
    "ink_verification_free": (None, (_handle,)),
    "ink_verification_count": (c_size_t, (_handle,)),
    "ink_verification_records": (c_uint64, (_handle,)),
    "ink_verification_lacks": (c_bool, (_handle, POINTER(c_uint32))),
    "ink_stream_stop": (None, (_handle,)),
    "ink_stream_close": (None, (_handle,)),
    "ink_stream_train_address": (c_char_p, (_handle,)),
    "ink_stream_ask_address": (c_char_p, (_handle,)),
    "ink_stream_now": (None, (_handle, _stream_report)),
    "ink_stream_view_take": (c_void_p, (_handle,)),
    "ink_stream_view_release": (None, (_handle,)),
    "ink_stream_view_report": (_stream_report, (_handle,)),
    "ink_stream_view_count": (c_size_t, (_handle,)),
    "ink_verification_summarise": (None, (_handle, POINTER(InkVerificationSummary))),
    "ink_arrow_filters_free": (None, (_handle,)),
    "ink_reducer_free": (None, (_handle,)),
    "ink_sizes_free": (None, (_handle,)),
    "ink_assembly_close": (None, (_handle,)),
    "ink_assembly_of_part": (None, (_handle,)),
    "ink_generation_kind": (c_char_p, (c_size_t, POINTER(c_char_p))),
    "ink_output_abandon": (None, (_handle,)),
    "ink_remove_unfinished": (None, ()),
    "ink_end_unfinished": (None, ()),
    "ink_mapped_path": (c_char_p, (c_void_p,)),
    "ink_outlive_cut_data": (None, ()),
}

#: Every public function: what it returns and what it takes, the error at the end included.
SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    **{name: (c_int, (*arguments, _error)) for name, arguments in _STATUS_CALLS.items()},
    **_OTHER_CALLS,
}


class Library:
    """A loaded library whose functions get their types when they are first used."""

    def __init__(self, loaded: ctypes.CDLL, path: str) -> None:
        self.loaded = loaded
        self.path = path

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in SIGNATURES:
            raise AttributeError(f"{name} is no function of the library")
        function: Callable[..., Any] = self.untyped(name)
        function.restype, function.argtypes = SIGNATURES[name]  # type: ignore[attr-defined]
        setattr(self, name, function)
        return function

    def untyped(self, name: str) -> Any:
        """A function that has no types, for arguments that were made ready before; ImportError without it."""
        try:
            return self.loaded[name]
        except AttributeError:
            raise ImportError(
                f"{self.path} has no {name}, expected the Inkling library of this package", path=self.path
            ) from None


# ---- Finding it -----------------------------------------------------------------------------------

VARIABLE = "INKLING_LIBRARY"
_SYSTEM_NAME = "libinkling.so.1"


def _load(path: str) -> ctypes.CDLL:
    """Loads the library at `path` and holds it to this package's version; ImportError if it is not that."""
    try:
        loaded = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"cannot load the Inkling library {path}: {error}", path=path) from error
    try:
        version = loaded.ink_version
    except AttributeError:
        raise ImportError(f"{path} is not the Inkling library: it has no ink_version", path=path) from None
    version.restype, version.argtypes = c_char_p, ()
    found = version().decode("ascii", "replace")
    if found != __version__:
        raise ImportError(f"{path} is Inkling {found}, expected {__version__}", path=path)
    return loaded


def _beside_package(folder: str) -> list[str]:
    names = [os.path.join(glob.escape(folder), name) for name in ("libinkling.so*", "libinkling*.dylib")]
    return sorted(path for name in names for path in glob.glob(name))


def _from_system() -> str | None:
    """The name under which the system knows a library, if it has one."""
    import ctypes.util  # which takes half as long to load as all of this

    for name in (ctypes.util.find_library("inkling"), _SYSTEM_NAME):
        if name is None:
            continue
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return name
    return None


#: The module of a zip of this package that names the libraries beside it.
LISTING = "_sent"


def _beside_zip() -> str | None:
    """The library for this machine that was sent along with the zip that this package is in, if it is in one:
    the zip lists what is beside it."""
    try:
        sent = importlib.import_module(f".{LISTING}", __package__)
    except ImportError:
        return None
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    name = sent.LIBRARIES.get(os.uname().machine)
    return name and os.path.join(folder, name)


def find() -> tuple[ctypes.CDLL, str]:
    """The library and its path: the one sent along with the package, else that of the environment, else the
    one beside the package, else the system's."""
    given = _beside_zip() or os.environ.get(VARIABLE)
    if given:
        return _load(given), given
    folder = os.path.dirname(os.path.abspath(__file__))
    beside = _beside_package(folder)
    name = beside[0] if beside else _from_system()
    if name is None:
        raise ImportError(
            f"found no Inkling library: {VARIABLE} is not set, there is no libinkling beside the package in "
            f"{folder}, and the system has no {_SYSTEM_NAME}; install one, or set {VARIABLE} to its path"
        )
    return _load(name), name


_loaded, library_path = find()
lib: Any = Library(_loaded, library_path)
pylib: Any = Library(ctypes.PyDLL(library_path), library_path)
lib.ink_outlive_cut_data()  # an error, and not the end of the interpreter

# ---- Calling it -----------------------------------------------------------------------------------


def fields_of(struct: Structure) -> dict[str, Any]:
    """The fields of a struct by name, without the room for those that may come."""
    return {name: getattr(struct, name) for name, *_ in struct._fields_ if name != "reserved"}


def message_of(error: InkError) -> str:
    """A message of the library with Python's names of the parameters that it is about."""
    text: bytes = error.message
    for named in reversed(error.named[: error.named_count]):
        name = lib.ink_parameter_name(named.parameter).decode()
        text = text[: named.start] + WORDS.get(name, name).encode() + text[named.start + named.bytes :]
    return text.decode("utf-8", "replace")


def check(status: int, error: InkError, path: str | None = None) -> None:
    """Raises the exception for `status`, unless it is INK_OK."""
    if status != OK:
        raise from_status(status, message_of(error), error.location, error.at, error.os_error, path)


def call(function: Callable[..., int], *arguments: Any, path: str | None = None) -> None:
    """Calls a function that ends in an error, and raises if it failed; `path` is the file it is about."""
    error = InkError()
    status = function(*arguments, byref(error))
    if status != OK:
        check(status, error, path)


def path_bytes(path: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> bytes:
    """A path as C wants it; TypeError for what is none, ValueError for one with a NUL in it."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise UsageError(f"a NUL in the path {os.fsdecode(path)!r}, expected none")
    return encoded


def text_bytes(name: str, value: object) -> bytes:
    """An option that is text as C wants it; `name` is for the error."""
    if not isinstance(value, str):
        raise TypeError(f"{name} of type {type(value).__name__}, expected str")
    encoded = value.encode("utf-8")
    if b"\0" in encoded:
        raise UsageError(f"a NUL in {name} {value!r}, expected none")
    return encoded


def secret_bytes(secret: object) -> bytes:
    """A secret as C wants it. Errors never show it."""
    if not isinstance(secret, (bytes, bytearray, memoryview)):
        raise TypeError(f"a secret of type {type(secret).__name__}, expected {SECRET_BYTES} bytes")
    given = bytes(secret)
    if len(given) != SECRET_BYTES:
        plural = "" if len(given) == 1 else "s"
        raise UsageError(f"a secret of {len(given)} byte{plural}, expected {SECRET_BYTES}")
    return given


def whole(name: str, value: object, bits: int = 64, least: int = 0) -> int:
    """A number from `least` up as an unsigned C integer of `bits` bits; whole floats such as 1e6 are
    welcome."""
    number = _as_int(value)
    if number is None:
        raise TypeError(f"{name} of type {type(value).__name__}, expected a whole number")
    if not least <= number < 1 << bits:
        raise UsageError(f"{name} {_short(value)}, expected a whole number from {least} to {(1 << bits) - 1}")
    return number


def real(name: str, value: object) -> float:
    """A number as a C double."""
    if isinstance(value, (str, bytes, bytearray, bool)) or not hasattr(type(value), "__float__"):
        if isinstance(value, bool) or not hasattr(type(value), "__index__"):
            raise TypeError(f"{name} of type {type(value).__name__}, expected a number")
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        raise UsageError(f"{name} {_short(value)}, expected a number that a float can hold") from None


def _as_int(value: object) -> int | None:
    """The whole number that a value is, -1 for a float that is not whole, None for what is no number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else -1
    try:
        return value.__index__()  # type: ignore[attr-defined, no-any-return]
    except AttributeError:
        return None


def _short(value: object) -> str:
    """A number for an error, also one of a million digits."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"of {value.bit_length()} bits"
    return str(value)
