"""Bloom filters of Parquet: those of files that pyarrow writes are ours bit for bit, and files of other writers,
made here field by field, are read as far as the format allows."""
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import int_keys, records, text_keys

# ---- Thrift's compact protocol -----------------------------------------------------------------------------------

I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def zigzag(number):
    return varint(2 * number if number >= 0 else -2 * number - 1)


def value(of):
    """A value with its type: an integer (of 64 bits), text, a list of structs, or a struct."""
    if isinstance(of, int):
        return I64, zigzag(of)
    if isinstance(of, bytes):
        return BINARY, varint(len(of)) + of
    if isinstance(of, list):
        size = bytes([len(of) << 4 | STRUCT]) if len(of) < 15 else bytes([15 << 4 | STRUCT]) + varint(len(of))
        return LIST, size + b"".join(value(element)[1] for element in of)
    return STRUCT, fields(of.items())


def fields(items, long_form=False):
    """A struct of (number, value) in any order; a number that does not follow closely stands in full."""
    out, last = b"", 0
    for number, of in items:
        kind, content = of if isinstance(of, tuple) else value(of)
        if 0 < number - last < 16 and not long_form:
            out += bytes([number - last << 4 | kind]) + content
        else:
            out += bytes([kind]) + zigzag(number) + content
        last = number
    return out + b"\0"


ONE = {1: {}}  # a union of one member, an empty struct


def header(size, **others):
    return fields([(1, (I32, zigzag(size))), (2, ONE), (3, ONE), (4, ONE)], **others)


def filter_of(ink, keys, bits, *options):
    """A filter that we build, header included."""
    return ink("build", "--as", "parquet", "--in", "nul", "--bits", bits, *options, "-o", "-", data=records(keys))


@pytest.fixture
def folder(tmp_path):
    return tmp_path


# ---- Files of pyarrow --------------------------------------------------------------------------------------------

def columns_of(rng, rows):
    """Columns by the path of their filters: their array, their keys, and how ink is told the type of a key."""
    texts = text_keys(rng, rows)
    longs = int_keys(rng, rows)
    ints = [rng.randint(-2**31, 2**31 - 1) for _ in range(rows)]
    unsigned = [rng.getrandbits(32) for _ in range(rows)]
    fixed = [rng.randbytes(7).replace(b"\0", b"\1") for _ in range(rows)]
    inner = [rng.randint(-50, 50) for _ in range(rows)]
    narrow = ["--key-type", "int", "--hash", "xxh64-int32"]
    strings = pa.array([key.decode() for key in texts])
    choices = {
        "text": (strings, texts, []),
        "words": (strings.dictionary_encode(), texts, []),
        "binary": (pa.array(texts, pa.binary()), texts, []),
        "fixed": (pa.array(fixed, pa.binary(7)), fixed, []),
        "long": (pa.array(longs, pa.int64()), longs, ["--key-type", "int"]),
        "int": (pa.array(ints, pa.int32()), ints, narrow),
        "small": (pa.array([key % 128 for key in ints], pa.int8()), [key % 128 for key in ints], narrow),
        "unsigned": (pa.array(unsigned, pa.uint32()), unsigned, narrow),
        "when": (pa.array(longs, pa.timestamp("us")), longs, ["--key-type", "int"]),
        "pair.number": (pa.array([{"number": number, "text": "x"} for number in inner]), inner, ["--key-type", "int"]),
        "list.list.element": (pa.array([[key.decode()] for key in texts]), texts, []),
    }
    return {name: choices[name] for name in rng.sample(sorted(choices), rng.randint(1, 4))}


def write_table(rng, path, columns, rows):
    """Writes columns in row groups with random sizes of filters; the rows of a row group."""
    group_rows = rng.randint(rows // 4 + 1, rows)
    pq.write_table(
        pa.table({path.split(".")[0]: column[0] for path, column in columns.items()} | {"other": [0.5] * rows}), path,
        row_group_size=group_rows, compression=rng.choice(["none", "snappy", "zstd"]),
        use_dictionary=rng.random() < 0.5, data_page_version=rng.choice(["1.0", "2.0"]),
        bloom_filter_options={path: {"ndv": rng.choice([1, 10, rows, 5000]), "fpp": rng.choice([0.3, 0.05, 0.01, 1e-4])}
                              for path in columns})
    return group_rows


def filters_in(path, name):
    """The filters of a column, header included, as the file's own metadata place them."""
    data, found = path.read_bytes(), []
    metadata = pq.read_metadata(path)
    for group in range(metadata.num_row_groups):
        for column in map(metadata.row_group(group).column, range(metadata.num_columns)):
            if column.path_in_schema == name:
                found.append(data[column.bloom_filter_offset:][:column.bloom_filter_length])
    return found


def test_filters_of_pyarrow_are_ours_bit_for_bit_and_are_asked_out_of_its_files(rng, ink, folder):
    rows = rng.choice([4, 30, 400])
    columns = columns_of(rng, rows)
    path = folder / "table.parquet"
    group_rows = write_table(rng, path, columns, rows)
    for name, (_, keys, options) in columns.items():
        groups = filters_in(path, name)
        groups_of = {}
        for group, theirs in enumerate(groups):
            part = keys[group * group_rows:][:group_rows]
            bits = 8 * (len(theirs) - len(header(len(theirs))))
            assert filter_of(ink, part, bits, *options) == theirs
            for key in part:
                groups_of.setdefault(key, set()).add(str(group))
        ink("convert", "--from", "parquet", "--key", name, "--force", path, "table.ink")
        strangers = text_keys(rng, 200) if not options else int_keys(rng, 200)
        asked = [*keys, *strangers]
        answers = ink("filter", "--in", "nul", "table.ink", data=records(asked)).split(b"\0")[:-1]
        answered = {}
        for answer in answers:
            key, found = answer.rsplit(b"\t", 1)
            answered[key] = set(found.decode().split(","))
        for key, found in groups_of.items():
            assert found <= answered[records([key])[:-1]]
        for group, theirs in enumerate(groups):
            (folder / "bare").write_bytes(theirs)
            ink("convert", "--from", "parquet", *options, "--force", "bare", "bare.ink")
            yes = ink("filter", "--in", "nul", "bare.ink", data=records(asked), code=None).split(b"\0")[:-1]
            assert set(yes) == {key for key, found in answered.items() if str(group) in found}


def test_a_file_needs_no_name_of_its_format_and_no_name_of_its_only_column(ink, folder):
    pq.write_table(pa.table({"a": ["x", "y", "z", None], "b": [1, 2, 3, 4]}), folder / "t.parquet", row_group_size=2,
                   bloom_filter_options={"a": {"ndv": 1000, "fpp": 1e-4}})
    assert ink("filter", "t.parquet", "-e", "y", "-e", "z", "-e", "w") == b"y\t0\nz\t1\n"
    assert ink("filter", "--no-groups", "t.parquet", data=b"w\nz\nx\n") == b"z\nx\n"
    assert ink("filter", "-v", "t.parquet", data=b"w\nz\nx\n") == b"w\n"
    ink("filter", "-q", "t.parquet", "-e", "w", code=1)
    with open(folder / "t.parquet", "rb") as pipe:
        assert ink("filter", "-", "-e", "x", data=pipe.read()) == b"x\t0\n"


def test_integers_are_asked_as_integers(ink, folder):
    pq.write_table(pa.table({"i": pa.array([7, -7, 2**31 - 1, 5], pa.int32())}), folder / "t.parquet", row_group_size=3,
                   bloom_filter_options={"i": {"ndv": 1000, "fpp": 1e-4}})
    assert ink("filter", "t.parquet", "-e", "-7", "-e", "5", "-e", "6") == b"-7\t0\n5\t1\n"
    assert b"expected" in ink("filter", "t.parquet", "-e", "seven", code=3, error=True)


TABLE = pa.table({"a": ["x"], "b": [1], "plain": [1], "real": [0.5], "s": [{"u": 1, "v": "x"}], "l": [["x"]]})


@pytest.mark.parametrize("filters, column, error", [
    ([], None, b"a Parquet file without Bloom filters"),
    (["a", "b", "s.u"], None, b"Bloom filters of several columns, expected one of them (--key): a, b, s.u"),
    (["a", "b"], "c", b'no column "c", expected one with Bloom filters: a, b'),
    (["a", "b"], "plain", b'column "plain" has no Bloom filters, expected one of a, b'),
    (["s.u", "s.v"], "s", b"Bloom filters of several columns, expected one of them (--key): s.u, s.v"),
    (["s.u"], "u", b'no column "u"'),
    (["s.u"], "s.", b'no column "s."'),
    (["real"], "real", b'column "real" is of type DOUBLE, expected INT32, INT64, BYTE_ARRAY or'),
    (["a", "real"], "a", None), (["s.u", "b"], "s.u", None), (["s.u", "b"], "s", None),
    (["l.list.element", "b"], "l", None), (["l.list.element", "b"], "l.list.element", None),
])
def test_a_column_is_found_by_its_name_or_path(ink, folder, filters, column, error):
    pq.write_table(TABLE, folder / "t.parquet", bloom_filter_options={path: True for path in filters})
    named = [] if column is None else ["--key", column]
    said = ink("convert", "--from", "parquet", *named, "t.parquet", "t.ink", code=None, error=True)
    assert error in said if error else said == b""


def test_the_column_of_data_chooses_that_of_the_filters_where_both_have_it(ink, folder):
    """--key is the column of the data, and of the filters if the file has it; with -e of the filters alone."""
    pq.write_table(pa.table({"id": [1, 2, 3], "name": ["x", "y", "z"], "no": [5, 6, 7]}), folder / "t.parquet",
                   bloom_filter_options={"id": {"ndv": 1000, "fpp": 1e-4}, "name": {"ndv": 1000, "fpp": 1e-4}})
    pq.write_table(pa.table({"id": [1, 2, 3], "no": [5, 6, 7]}), folder / "one.parquet",
                   bloom_filter_options={"id": {"ndv": 1000, "fpp": 1e-4}})
    (folder / "d.csv").write_text("name,id,key,no\nx,9,3,1\nw,3,9,1\n")
    ask = ["--no-groups", "--header", "d.csv"]
    assert ink("filter", "t.parquet", "--key", "name", *ask) == b"name,id,key,no\nx,9,3,1\n"
    assert ink("filter", "t.parquet", "--key", "id", *ask) == b"name,id,key,no\nw,3,9,1\n"
    assert b"several columns" in ink("filter", "t.parquet", "--key", "key", *ask, code=2, error=True)
    assert b'"no" has no Bloom filters' in ink("filter", "t.parquet", "--key", "no", *ask, code=2, error=True)
    assert ink("filter", "one.parquet", "--key", "key", *ask) == b"name,id,key,no\nx,9,3,1\n"
    assert ink("filter", "one.parquet", "--key", "2", *ask) == b"name,id,key,no\nw,3,9,1\n"
    assert b'"no" has no Bloom filters' in ink("filter", "one.parquet", "--key", "no", *ask, code=2, error=True)
    assert ink("filter", "t.parquet", "--key", "name", "-e", "y", "-e", "1") == b"y\t0\n"
    assert ink("filter", "t.parquet", "--key", "id", "-e", "2", "-e", "9") == b"2\t0\n"
    assert b'no column "key"' in ink("filter", "one.parquet", "--key", "key", "-e", "3", code=2, error=True)
    assert b'no column "key"' in ink("convert", "--key", "key", "one.parquet", "one.ink", code=2, error=True)
    ink("convert", "one.parquet", "one.ink")
    assert b"-e and --key do not go together" in ink("filter", "one.ink", "--key", "id", "-e", "3", code=2, error=True)


# ---- Sizes -------------------------------------------------------------------------------------------------------

def test_the_vectors_of_the_format(ink, folder):
    bits = bytes.fromhex("0000100000020000000400008000000000020000000000800000001000000008")
    assert filter_of(ink, ["hello".encode()], 256) == bytes.fromhex("15401c1c00001c1c00001c1c000000") + bits
    assert filter_of(ink, [42], 8192, "--key-type", "int")[:16] == bytes.fromhex("1580101c1c00001c1c00001c1c000000")


@pytest.mark.parametrize("keys, rate, size", [
    (1000, 0.01, 2048), (1, 0.5, 32), (1, 1e-5, 32), (108306, 0.01, 2**17), (108400, 0.01, 2**18),
    (110_000_000, 0.01, 2**27), (1_000_000, None, 2**21),
])
def test_sizes_are_those_of_parquet(ink, folder, keys, rate, size):
    ink("build", "--as", "parquet", "-n", keys, *([] if rate is None else ["-p", rate]), "-o", "bare", data=b"")
    assert len((folder / "bare").read_bytes()) == len(header(size)) + size


def test_the_vectors_of_hashes_of_integers(ink, folder):
    """xxh64 of 42 in 8 bytes, and of numbers in 4, with and without a sign."""
    narrow = ["--key-type", "int", "--hash", "xxh64-int32"]
    assert filter_of(ink, [42], 256, "--key-type", "int") != filter_of(ink, [42], 256, *narrow)
    assert filter_of(ink, [-1], 256, *narrow) == filter_of(ink, [2**32 - 1], 256, *narrow)
    assert filter_of(ink, [2**32], 256, *narrow) == filter_of(ink, [2**32], 256, "--key-type", "int")


def test_without_a_number_of_keys_a_filter_is_sized_by_its_keys(ink, folder):
    data = b"".join(b"%d\n" % i for i in range(5000))
    ink("build", "--as", "parquet", "-o", "counted", data=data)
    ink("build", "--as", "parquet", "-n", 5000, "-o", "planned", data=data)
    assert (folder / "counted").read_bytes() == (folder / "planned").read_bytes()
    ink("build", "--as", "parquet", "--headroom", 3, "-o", "roomy", data=data)
    assert len((folder / "roomy").read_bytes()) == len(header(2**15)) + 2**15


def test_a_promise_above_the_target_is_said(ink, folder):
    said = ink("build", "--as", "parquet", "-n", 108300, "-p", 0.01, "-o", "bare", data=b"", error=True)
    assert b"target 0.01, promised 0.015; expected a lower -p" in said


@pytest.mark.parametrize("options, error", [
    (["-n", "1e9"], b"--keys 1000000000 at rate 0.01 need 1155 MiB, expected at most 128 MiB"),
    (["--bits", "1000"], b"--bits 1000, expected a power of two from 256 to 2^30"),
    (["--bits", "2147483648"], b"expected a power of two"), (["--bits", "768"], b"expected a power of two"),
    (["--hash", "xxh3"], b"--hash xxh3, expected xxh64"), (["--seed", "1"], b"seed 1, expected 0"),
    (["--by", "1", "--fields"], b"--by with --as parquet"),
    (["--hash", "xxh64-int32"], b"takes int keys"),
])
def test_what_readers_refuse_is_not_written(ink, folder, options, error):
    assert error in ink("build", "--as", "parquet", *options, "-o", "bare", data=b"x\n", code=None, error=True)
    assert not (folder / "bare").exists()


def test_other_sizes_are_folded_if_the_promise_is_kept(ink, folder):
    keys = [b"%d" % i for i in range(40)]
    ink("build", "bloom", "--hash", "xxh64", "--in", "nul", "--bits", 256 * 96, "-n", 1000, "-o", "a.ink",
        data=records(keys))
    ink("convert", "--to", "parquet", "a.ink", "a.bin")
    assert (folder / "a.bin").read_bytes() == filter_of(ink, keys, 256 * 32)
    data = b"".join(b"%d\n" % i for i in range(1000))
    ink("build", "bloom", "--hash", "xxh64", "--bits", 256 * 96, "-n", 1000, "-o", "full.ink", data=data)
    said = ink("convert", "--to", "parquet", "full.ink", "b.bin", code=1, error=True)
    assert b"24576 bits, folded by 3 for parquet: " in said
    ink("build", "bloom", "--hash", "xxh64", "--bits", 256 * 96, "-o", "bits.ink", data=data)
    said = ink("convert", "--to", "parquet", "bits.ink", "b.bin", code=3, error=True)
    assert b"24576 bits, and no promise that it keeps if parquet folds it by 3" in said
    ink("build", "bloom", "-o", "other.ink", data=data)
    assert b"hashed with xxh3, expected --hash xxh64" in ink("convert", "--to", "parquet", "other.ink", "b.bin", code=3,
                                                      error=True)
    assert not (folder / "b.bin").exists()


# ---- Headers of other writers ------------------------------------------------------------------------------------

BITS = bytes(range(64))
# Fields of numbers that no header has, of every type.
EXTRA = [(7, b"text"), (8, 5), (9, (1, b"")), (10, (2, b"")), (11, (3, b"\x05")), (12, (7, bytes(8))),
         (13, [{1: 2}, {}]), (14, (10, b"\x31\x02\x04\x06")), (15, (11, b"\x02\x85\x01a\x04\x01b\x06")),
         (16, (11, b"\0")), (17, {1: {2: [{3: 4}]}}), (18, (LIST, b"\x21\x01\x02")), (19, (13, bytes(16))),
         (20, (LIST, b"\0")), (300, (4, zigzag(-3)))]


@pytest.mark.parametrize("head", [
    header(64), header(64, long_form=True),
    fields([(1, 64), (2, ONE), (3, ONE), (4, ONE)]),
    fields([(4, ONE), (3, ONE), (2, ONE), (1, 64)]),
    fields([(1, 64), (2, {1: {5: b"block"}}), (3, ONE), (4, ONE), *EXTRA]),
    fields([*EXTRA, (2, ONE), (4, ONE), (3, ONE), (1, 64)]),
])
def test_headers_may_have_their_fields_in_any_order_and_others_besides(ink, folder, head):
    (folder / "bare").write_bytes(head + BITS)
    ink("convert", "--from", "parquet", "bare", "bare.ink")
    ink("convert", "--to", "parquet", "bare.ink", "again")
    assert (folder / "again").read_bytes() == header(64) + BITS


@pytest.mark.parametrize("content, error", [
    (b"", b"byte 0: the file ends within a field"),
    (header(64)[:5], b"byte 5: the file ends within a field"),
    (header(64) + BITS[:-1], b"a bitset of 64 bytes, but 63 follow"),
    (header(64) + BITS + b"\0", b"byte 80: 1 bytes after the filter"),
    (header(48) + BITS[:48], b"a bitset of 48 bytes, expected blocks of 32"),
    (header(0), b"a bitset of 0 bytes"), (header(-32), b"a bitset of -32 bytes"),
    (header(2**40), b"a bitset of 1099511627776"),
    (fields([(1, 64), (2, {2: {}}), (3, ONE), (4, ONE)]) + BITS, b"another sort (field 2: 2), expected split blocks"),
    (fields([(1, 64), (2, ONE), (3, {2: {}}), (4, ONE)]) + BITS, b"another sort (field 3: 2), expected xxHash"),
    (fields([(1, 64), (2, ONE), (3, ONE), (4, {2: {}})]) + BITS, b"another sort (field 4: 2), expected no compression"),
    (fields([(1, 64), (2, {}), (3, ONE), (4, ONE)]) + BITS, b"another sort (field 2: 0)"),
    (fields([(1, 64), (2, {1: {}, 2: {}}), (3, ONE), (4, ONE)]) + BITS, b"two at once"),
    (fields([(2, ONE), (3, ONE), (4, ONE)]) + BITS, b"without a size"),
    (fields([(1, 64), (3, ONE), (4, ONE)]) + BITS, b"without an algorithm"),
    (fields([(1, 64), (2, ONE), (4, ONE)]) + BITS, b"without a hash"),
    (fields([(1, 64), (2, ONE), (3, ONE)]) + BITS, b"without a compression"),
    (fields([(1, b"64"), (2, ONE), (3, ONE), (4, ONE)]) + BITS, b"field 1 is of type 8, expected a number"),
    (fields([(1, 64), (2, 1), (3, ONE), (4, ONE)]) + BITS, b"field 2 is of type 6, expected a struct"),
    (fields([(9, (14, b"")), (1, 64)]) + BITS, b"a field of type 14"),
    (fields([(9, (BINARY, varint(2**63)))]), b"9223372036854775808 bytes of a field, but"),
    (fields([(9, (LIST, b"\xfc" + varint(2**63)))]), b"a list of 9223372036854775808, but"),
    (fields([(9, (I64, b"\xff" * 10 + b"\1"))]), b"a number of more than 64 bits"),
    (b"\x9c" + b"\x1c" * 200, b"more than 32 deep"), (b"\x99" + b"\x19" * 200, b"more than 32 deep"),
    (b"\x05" + zigzag(-1) + b"\2\0", b"a field whose number"),
    (b"PAR1", b"byte 0: a Parquet file that does not end with PAR1"),
    (b"PARE" + bytes(20) + b"PARE", b"whose footer is encrypted"),
    (b"PAR1" + bytes(20) + struct.pack("<I", 21) + b"PAR1", b"a footer of 21 bytes, but the file has 32"),
    (b"PAR1" + struct.pack("<I", 0) + b"PAR1", b"the file ends within a field"),
])
def test_other_bytes_are_refused_at_a_byte(ink, folder, content, error):
    (folder / "bare").write_bytes(content)
    assert error in ink("convert", "--from", "parquet", "bare", "bare.ink", code=3, error=True)
    assert not (folder / "bare.ink").exists()


# ---- Files of other writers --------------------------------------------------------------------------------------

# Spark 3.5 wrote this, by parquet-mr 1.13, which states no lengths of filters: a column "c" of k0 to k4.
SPARK = bytes.fromhex(
    "504152311500153c153c15bdb9dfe4021c150a1500150815080000020000006b30020000006b31020000006b32020000006b3302000000"
    "6b341911021918026b301918026b34150219160000191c1608156a1600000015401c1c00001c1c00001c1c000000122040020300042220"
    "80e00080804410010202400200808508401a00800010201502192c480c737061726b5f736368656d61150200150c250018016325004c1c"
    "000000160a191c191c26081c150c19250008191801631500160a166a166a26083c360028026b3418026b3000191c1500150015020016ac"
    "010016980115141672152600166a160a2608166a140000192c18186f72672e6170616368652e737061726b2e76657273696f6e1805332e"
    "352e390018296f72672e6170616368652e737061726b2e73716c2e706172717565742e726f772e6d6574616461746118587b2274797065"
    "223a22737472756374222c226669656c6473223a5b7b226e616d65223a2263222c2274797065223a22737472696e67222c226e756c6c61"
    "626c65223a66616c73652c226d65746164617461223a7b7d7d5d7d00184a706172717565742d6d722076657273696f6e20312e31332e31"
    "20286275696c64206462343138333130396435623733346563353933306438373063646165313631653430386464626129191c1c000000"
    "6a01000050415231"
)


def test_a_file_of_spark_is_read(ink, folder):
    (folder / "spark.parquet").write_bytes(SPARK)
    assert ink("filter", "spark.parquet", "-e", "k4", "-e", "k5") == b"k4\t0\n"
    ink("convert", "spark.parquet", "spark.ink")
    ink("convert", "--to", "parquet", "spark.ink", "bare")
    assert (folder / "bare").read_bytes() == filter_of(ink, [b"k%d" % i for i in range(5)], 256)

def schema(*columns):
    """Elements under a root: (name, type), or (name, a list of these)."""
    out = []
    for name, of in columns:
        if isinstance(of, list):
            out += [{3: 0, 4: name, 5: len(of)}, *schema(*of)]
        else:
            out.append({1: of, 3: 0, 4: name, 6: 0, 10: {1: {}}})
    return out


def file_of(columns, groups, more=(), elements=None):
    """A file of row groups, each a list of chunks: {field of ColumnMetaData: value}, whose 14 is a filter's bytes."""
    body, rows = b"PAR1\x15\x04", []
    for chunks in groups:
        row = []
        for chunk in chunks:
            chunk = dict(chunk)
            apart = chunk.pop("chunk", {})
            if isinstance(chunk.get(14), bytes):
                body, chunk[14] = body + chunk[14], len(body)
            row.append(dict(sorted({2: 0, 3: chunk, **apart}.items())))
        rows.append({1: row, 2: 0, 3: 1})
    root = [{4: b"root", 5: len(columns)}, *schema(*columns)] if elements is None else elements
    footer = fields([(1, 1), (2, root), (3, 1), (4, rows), (6, b"a test"), *more])
    return body + footer + struct.pack("<I", len(footer)) + b"PAR1"


FILTER = header(64) + BITS
WITH, WITHOUT = {1: 6, 14: FILTER}, {1: 6}


def read_file(ink, folder, content, column=None, code=0):
    (folder / "t.parquet").write_bytes(content)
    named = [] if column is None else ["--key", column]
    return ink("convert", "--from", "parquet", *named, "--force", "t.parquet", "t.ink", code=code, error=code != 0)


@pytest.mark.parametrize("content, column, groups", [
    (file_of([(b"a", 6)], [[WITH]]), None, 1),
    (file_of([(b"a", 6)], [[WITH]] * 20), None, 20),
    (file_of([(b"a", 1)], [[WITH]]), None, 1), (file_of([(b"a", 7)], [[WITH]]), None, 1),
    (file_of([(b"a", 6)], [[{**WITH, 15: len(FILTER)}]]), None, 1),
    (file_of([(b"a", 6)], [[{14: FILTER, 3: [], 1: 6, **{number: {} for number in range(20, 40)}}]]), None, 1),
    (file_of([(b"a", 6), (b"b", [(b"c", 1), (b"d", 2)]), (b"e", 7)], [[WITHOUT, WITHOUT, WITH, WITHOUT]] * 2), None, 2),
    (file_of([(b"a", 6), (b"b", [(b"c", 1), (b"d", 2)]), (b"e", 7)], [[WITH] * 4] * 2), "b.d", 2),
    (file_of([(b"a", 6), (b"b", [(b"c", [(b"d", 6)])])], [[WITHOUT, WITH]]), "b.c", 1),
    (file_of([(b"a", 6), (b"none", []), (b"b", 6)], [[WITHOUT, WITH]]), "b", 1),
    (file_of([(b"ab", 6), (b"a", 6)], [[WITH, WITH]]), "a", 1),
    (file_of([(b"a", 6)], [[WITH]], more=[(40, [{1: b"x"}] * 20), (41, {})]), "a", 1),
    (file_of([(b"x" * 300, 6), (b"b", 6)], [[WITH, WITHOUT]]), None, 1),
    (file_of([(b"x" * 256, [(b"y" * 300, 6)]), (b"b", 6)], [[WITHOUT, WITH]]), "b", 1),
    (file_of([(b"a", 6)], [[WITH]], elements=[{4: b"r", 5: 1}] * 32 + [{1: 6, 4: b"a"}]), None, 1),
    (file_of([], [[WITH]], elements=[{4: b"r", 5: 1}, {1: 6, 4: b"g", 5: 1}, {1: 6, 4: b"a"}]), "g.a", 1),
])
def test_footers_may_have_other_fields_and_any_tree(ink, folder, content, column, groups):
    read_file(ink, folder, content, column)
    assert ink("info", "--tsv", "t.ink").count(b"\nbloom\t") == groups
    if groups == 1:
        ink("convert", "--to", "parquet", "t.ink", "again")
        assert (folder / "again").read_bytes() == FILTER


@pytest.mark.parametrize("content, error", [
    (file_of([(b"a", 6)], [[WITH], [WITHOUT], [WITH]]), b"row group 1 has no Bloom filter of the column"),
    (file_of([(b"a", 6)], [[{**WITH, "chunk": {8: {1: {}}}}]]), b"encrypted columns"),
    (file_of([(b"a", 6)], [[WITH], [{**WITH, "chunk": {8: {1: {}}, 9: b""}}]]), b"row group 1: the column is encrypted"),
    (file_of([(b"a", 6), (b"b", 6)], [[{**WITH, "chunk": {8: {1: {}}}}, WITHOUT]]), b"encrypted columns"),
    (file_of([(b"a", 6)], [[{**WITH, "chunk": {1: b"other"}}]]), b"row group 0: the column is in another file"),
    (file_of([(b"a", 6)], [[WITH], [{1: 6, 14: 6}], [{1: 6, 14: 6}], [{1: 6, 14: 6}]]),
     b"byte 6: row group 3 shares its Bloom filter with others"),
    (file_of([(b"a", 6)], [[{1: 6, 14: 2}]]), b"a Bloom filter at byte 2, expected one before the footer at 6"),
    (file_of([(b"a", 6)], [[{1: 6, 14: 3}]]), b"a Bloom filter at byte 3"),
    (file_of([(b"a", 6)], [[{1: 6, 14: 6}]]), b"a Bloom filter at byte 6"),
    (file_of([(b"a", 6)], [[{**WITH, 15: 0}]]), b"byte 6: the file ends within a field"),
    (file_of([(b"a", 6)], [[{1: 6, 14: -1}]]), b"a Bloom filter at byte -1"),
    (file_of([(b"a", 6)], [[{**WITH, 15: 40}]]), b"byte 6: a bitset of 64 bytes, but 24 follow"),
    (file_of([(b"a", 6)], [[WITH, WITH]]), b"a row group of 2 columns, expected 1 as in the schema"),
    (file_of([(b"a", 6)], [[]]), b"a row group of 0 columns, expected 1"),
    (file_of([(b"a", 6)], []), b"without Bloom filters"),
    (file_of([(b"a", 3)], [[WITH]]), b"of type INT96"), (file_of([(b"a", 99)], [[WITH]]), b"of type unknown"),
    (file_of([(b"a", 6), (b"b", [(b"c", 6)]), (b"d", 6)], [[WITH] * 3]),
     b"several columns, expected one of them (--key): a, b.c, d"),
    (file_of([(b"a", 6)], [[WITH]], elements=[]), b"a row group of 1 columns, expected 0"),
    (file_of([(b"a", 6)], [[WITH]], elements=[{4: b"r", 5: 1}, {4: b"a", 1: 6}, {4: b"b", 1: 6}]),
     b"more elements than the schema has"),
    (file_of([(b"a", 6)], [[WITH]], elements=[{4: b"r", 5: 1}, {4: b"a", 5: -1}]), b"or a group of -1 elements"),
    (file_of([(b"a", 6)], [[WITH]], elements=[{4: b"r", 5: 1}] * 40), b"a schema of more than 32 levels"),
    (file_of([(b"a", 6)], [[WITH]], elements=[{4: b"r", 5: 1}] * 33 + [{1: 6, 4: b"a"}]), b"a schema of more than 32 levels"),
    (file_of([(b"%d" % i, 6) for i in range(10)], [[WITH] * 10]), b"(--key): 0, 1, 2, 3, 4, 5, 6, 7\n"),
    (file_of([(b"\x1b[31m", 6), (b"b", 6)], [[WITH, WITH]]), b"(--key): \\x1b[31m, b"),
])
def test_footers_that_do_not_say_a_filter_for_each_row_group_are_refused(ink, folder, content, error):
    assert error in read_file(ink, folder, content, code=None)
    assert not (folder / "t.ink").exists()


def test_two_columns_of_one_name_are_refused(ink, folder):
    columns = [(b"a", 6), (b"b", 6), (b"a", 6)]
    said = read_file(ink, folder, file_of(columns, [[WITH, WITHOUT, WITH]]), "a", code=2)
    assert b'columns in different places are called "a"' in said


def test_a_footer_cut_anywhere_is_refused(ink, folder):
    content = file_of([(b"a", 6), (b"b", [(b"c", 6)])], [[WITH, WITHOUT]] * 2)
    size = struct.unpack("<I", content[-8:-4])[0]
    for cut in range(1, size):
        footer = content[-8 - size:-8 - cut]
        read_file(ink, folder, content[:-8 - size] + footer + struct.pack("<I", len(footer)) + b"PAR1", code=3)


def test_text_that_begins_as_a_file_is_data(ink, folder):
    (folder / "words").write_bytes(b"PAR1\nPAR1\nPAR2\n")
    assert ink("distinct", "--json", "words").startswith(b'{')
    ink("build", "bloom", "-o", "words.ink", "words")
    assert ink("filter", "words.ink", "words") == b"PAR1\nPAR1\nPAR2\n"
