"""The type hll of PostgreSQL: values of a server are read in every form and with every setting, those of ours are
loaded, and both hold the same registers."""
import glob
import os
import shutil
import struct
import subprocess
import tempfile

import pytest
from conftest import int_keys, records, text_keys

BIN = max(glob.glob("/usr/lib/postgresql/*/bin"))


@pytest.fixture(scope="module")
def sql():
    """Rows of statements, from a server of our own on a socket in a folder of our own; it refuses to run as root."""
    folder = tempfile.mkdtemp(prefix="ink-postgresql-")
    user = {}
    if os.geteuid() == 0:
        user = {"user": "nobody", "extra_groups": []}
        shutil.chown(folder, "nobody")

    def run(*command, data=None):
        done = subprocess.run(command, input=data, capture_output=True, check=False, cwd=folder, **user)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()
    run(BIN + "/initdb", "-D", folder + "/data", "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
    run(BIN + "/pg_ctl", "-D", folder + "/data", "-w", "-l", folder + "/log",
        "-o", f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off", "start")
    try:
        def rows(text):
            return run(BIN + "/psql", "-h", folder, "-U", "postgres", "-X", "-q", "-A", "-t", "-F", " ",
                       "-v", "ON_ERROR_STOP=1", data=text.encode()).splitlines()
        rows("create extension hll")
        yield rows
    finally:
        run(BIN + "/pg_ctl", "-D", folder + "/data", "-m", "immediate", "stop")
        shutil.rmtree(folder)


def registers(value, most=8):
    """Of a value, with values of at most so many bits."""
    kind, width, precision = value[0] & 15, (value[1] >> 5) + 1, value[1] & 31
    found = [0] * (1 << precision)
    data, most = value[3:], 2**min(width, most) - 1
    bits = f"{int.from_bytes(data, 'big'):0{8 * len(data)}b}" if data else ""
    if kind == 2:
        for hashed, in struct.iter_unpack(">Q", data):
            rest = hashed >> precision
            at = hashed & (1 << precision) - 1
            found[at] = max(found[at], min(most, (rest & -rest).bit_length()))
    elif kind == 3:
        for at in range(0, len(bits) - precision - width + 1, precision + width):
            found[int(bits[at:at + precision], 2)] = min(most, int(bits[at + precision:at + precision + width], 2))
    elif kind == 4:
        found = [min(most, int(bits[at:at + width], 2)) for at in range(0, width << precision, width)]
    else:
        assert kind == 1 and not data
    return found


def hashed(kind, keys):
    """A table of the hashes of keys."""
    if not keys:
        return f"(select hll_hash_{kind}(null) h where false) t"
    if kind in ("integer", "bigint"):
        return f"(select hll_hash_{kind}(k) h from unnest(array[{','.join(map(str, keys))}]::{kind}[]) k) t"
    texts = ",".join(f"'{key.hex()}'" for key in keys)
    key = "convert_from(decode(k,'hex'),'UTF8')" if kind == "text" else "decode(k,'hex')"
    return f"(select hll_hash_{kind}({key}) h from unnest(array[{texts}]) k) t"


def some_keys(rng, kind, count):
    if kind == "text":
        return text_keys(rng, count)
    if kind == "bytea":
        keys = {bytes(rng.choices(range(1, 256), k=rng.choice([1, 7, 8, 9, 16, 100]))) for _ in range(count)}
        return sorted(keys - {b"\n"})
    keys = int_keys(rng, max(count, 6))
    return keys if kind == "bigint" else [key for key in keys if -2**31 <= key < 2**31]


HASHES = {"text": [], "bytea": [], "bigint": ["--key-type", "int"],
          "integer": ["--key-type", "int", "--hash", "postgresql-hll-int4"]}


def test_values_are_those_of_postgresql_both_ways(rng, sql, ink, files):
    kind = rng.choice(sorted(HASHES))
    keys = some_keys(rng, kind, rng.choice([1, 2, 10, 100, 300, 900, 3000] if kind != "text" else [1, 2, 10, 100, 700]))
    half = keys[:len(keys) // 2 + 1]
    precision, width, kept, sparse = rng.choice([(11, 5, -1, 1), (11, 5, -1, 1), (
        rng.randint(4, 17), rng.randint(1, 7), rng.choice([-1, 0, 1, 16, 1024]), rng.choice([0, 1]))])
    ink("build", "--as", "postgresql-hll", *HASHES[kind], "--precision", precision, "--in", "nul", "-o", "ours",
        data=records(half))
    ours = files("ours")

    # Ours is a value there, and equal to theirs.
    theirs, packed, union, counts, same = sql(f"""
        select hll_add_agg(h, {precision}, {width}, {kept}, {sparse}) from {hashed(kind, half)};
        select hll_add_agg(h, {precision}, 5, 0, 1) from {hashed(kind, half)};
        select hll_union(E'\\\\x{ours.hex()}', hll_add_agg(h, {precision}, 5, -1, 1)) from {hashed(kind, keys)};
        select hll_cardinality(E'\\\\x{ours.hex()}'), hll_cardinality(hll_add_agg(h, {precision}, 5, 0, 1))
            from {hashed(kind, half)};
        select hll_eq(hll_union(E'\\\\x{ours.hex()}', hll_add_agg(h, {precision}, 5, -1, 1)),
                      E'\\\\x{ours.hex()}') from {hashed(kind, half)};""")
    packed = bytes.fromhex(packed[2:])
    if half == [b""]:  # which sets no register, and counts among the few hashes that they keep
        assert ours[0] == 0x11 and packed[0] == 0x13 and packed[3:] == b""
    else:
        assert same == "t"
        assert (ours[:2], ours[2], ours[3:]) == (packed[:2], 0x7f, packed[3:])
    one, other = map(float, counts.split())
    assert one == other

    # Theirs is read, as bytes and as psql shows it.
    for name, data in ("bytes", bytes.fromhex(theirs[2:])), ("text", theirs.encode()), ("line", theirs.encode() + b"\n"):
        files(name, data)
        ink("convert", "--from", "postgresql-hll", *HASHES[kind], name, name + ".ink")
        ink("convert", "--to", "postgresql-hll", name + ".ink", name + ".back")
        assert registers(files(name + ".back")) == registers(bytes.fromhex(theirs[2:]), 5)
    if width == 5:
        assert files("bytes.back") == ours
        assert abs(int(ink("distinct", "bytes.ink")) - one) <= 3 + 4 * one / 2**(precision / 2)

    # Their union is ours.
    ink("build", "hll", *HASHES[kind], *([] if "--hash" in HASHES[kind] else ["--hash", "postgresql-hll"]), "--precision",
        precision, "--in", "nul", "-o", "all.ink", data=records(keys))
    ink("convert", "--to", "postgresql-hll", "all.ink", "all")
    assert registers(files("all")) == registers(bytes.fromhex(union[2:]))
    if width == 5:
        ink("merge", "--force", "bytes.ink", "all.ink", "-o", "all.ink")
        ink("convert", "--force", "--to", "postgresql-hll", "all.ink", "all")
        assert registers(files("all")) == registers(bytes.fromhex(union[2:]))


def test_values_that_are_written_down_are_read(sql, ink, files):
    assert sql("select hll_hash_text('hello'), hll_hash_integer(42), hll_hash_bigint(42)") == [
        "-3758069500696749310 2913627637088662735 -5283633198602748424"]
    for value, kind, keys in (("118b7f", "text", []), ("128b7fcbd8a7b341bd9b02", "text", [b"hello"]),
                              ("14840010821100020842308021", "integer", range(1, 21)),
                              ("138b4027635fc16c01", "integer", range(1, 4))):
        files("theirs", bytes.fromhex(value))
        ink("convert", "--force", "--from", "postgresql-hll", *HASHES[kind], "theirs", "theirs.ink")
        ink("convert", "--force", "--to", "postgresql-hll", "theirs.ink", "back")
        ink("build", "--force", "--as", "postgresql-hll", *HASHES[kind], "--precision", int(value[2:4], 16) & 31,
            "-o", "ours", data=b"".join(b"%b\n" % (key if kind == "text" else b"%d" % key) for key in keys))
        assert files("back") == files("ours")
        assert registers(files("ours")) == registers(bytes.fromhex(value))
    assert files("ours").hex() == "138b7f27635fc16c01"


def test_the_form_is_the_shorter_one_as_theirs_is(sql, ink, files):
    """Around the number of registers at which 16 bits each are as many as 5 for all."""
    keys = list(range(900))
    counts = [600, 740, 741, 742, 743, 744, 745, 746, 747, 748, 749, 750, 751, 760, 900]
    rows = sql("".join(f"select hll_add_agg(h, 11, 5, 0, 1) from {hashed('bigint', keys[:n])};" for n in counts))
    forms = set()
    for count, row in zip(counts, rows):
        ink("build", "--force", "--as", "postgresql-hll", "--key-type", "int", "-o", "ours",
            data=b"".join(b"%d\n" % key for key in keys[:count]))
        assert files("ours")[3:] == bytes.fromhex(row[2:])[3:] and files("ours")[0] == int(row[2:4], 16)
        forms.add(files("ours")[0])
    assert forms == {0x13, 0x14}


def test_what_postgresql_has_not_is_refused(ink, files):
    for value in ("108b7f", "158b7f", "218b7f", "11837f", "11937f", "118bff", "118b60", "118b7f00", "118b", "",
                  "128b7fcbd8a7b341bd9b", "128b7f00000000000000020000000000000001", "128b7f00000000000000010000000000000001",
                  "138b7f27635fc16c0100", "138b7f27630000", "138b7f2763276300", "14840010821100020842308020ff",
                  "148400108211000208423080", "14a4003f" + "ff" * 11):
        files("bad", bytes.fromhex(value))
        ink("convert", "--force", "--from", "postgresql-hll", "bad", "bad.ink", code=3)
    for text in b"\\x", b"\\x118b7", b"\\x118b7g", b"\\x118b7f \n", b"\\x118b7f\n\n", b"x118b7f":
        files("bad", text)
        ink("convert", "--force", "--from", "postgresql-hll", "bad", "bad.ink", code=3)
    ink("build", "--as", "postgresql-hll", "--precision", 18, "-o", "bad", data=b"", code=2)
    ink("build", "hll", "--hash", "postgresql-hll", "--seed", 1, "-o", "seeded.ink", data=b"a\n")
    ink("convert", "--force", "--to", "postgresql-hll", "seeded.ink", "bad", code=3)
