# packages.mk - what leaves this tree: static commands, wheels, Debian packages, the source archive, and their checksums.
#
# All of it is made from this tree by the compiler of PyPI's ziglang, for old C libraries and for musl, and does not depend
# on the folder or the time: dates are that of the last commit, or of this archive's Makefile.

SOURCE_DATE_EPOCH ?= $(or $(shell git log -1 --format=%ct 2>/dev/null),$(shell stat -c %Y Makefile))
export SOURCE_DATE_EPOCH

.PHONY: static-musl wheels sdist release-jars source-archive deps-packages debs release release-index test-packages

packaging_env = $(PYTHON) -B scripts/python_env.py packaging/requirements.txt
machines := x86_64 aarch64

# ---- Builds for a target --------------------------------------------------------------------

# What is made for the target $(1) is in build/targets/$(1): the goals $(2), with variables $(3) and flags $(4). The libraries that are
# linked in come first.
target_folder = build/targets/$(1)
define target_make
+@python=$$($(packaging_env)) && sources=$$($(PYTHON) -B packaging/sources.py) && \
zig=$$("$$python" -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent / "zig")') && \
build="$(MAKE) --no-print-directory OUT=$(target_folder)" && \
for goals in third-party '$(2)'; do $$build $$goals SOURCES="$$sources" \
    CC="$$zig cc -target $(1)" AR="$$zig ar" WERROR=-w HTTP=no SAN= exclude_libs= static_flags=-static LDFLAGS='-s -Wl,--gc-sections' \
    $(3) CFLAGS="-O3 $(4) -isystem $$sources/xxhash -isystem $$sources/zlib -isystem $$sources/libzstd/lib" \
    compression_libs='$(target_folder)/third-party/libzstd.a $(target_folder)/third-party/libz.a' || exit 1; done
endef

# Compiled where SOURCES is given. Nothing of them is exported. zlib takes macOS for a system without fdopen.
third_party_flags = -w -O2 -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -ffile-prefix-map=$(SOURCES)=. \
	-DZSTDLIB_VISIBLE= -DZSTDERRORLIB_VISIBLE= -DZSTD_DISABLE_ASM=1 -Dfdopen=fdopen -DXXH_NAMESPACE=ZSTD_ $(filter -f%,$(CFLAGS))
zlib_sources := $(addprefix zlib/,adler32.c crc32.c deflate.c inffast.c inflate.c inftrees.c trees.c zutil.c)
zstd_sources = $(patsubst $(SOURCES)/%,%,$(sort $(wildcard $(addsuffix /*.c,$(addprefix $(SOURCES)/libzstd/lib/,common compress decompress)))))
third_party = $(patsubst %.c,$(OUT)/third-party/%.o,$(1))

third-party: $(OUT)/third-party/libz.a $(OUT)/third-party/libzstd.a

$(OUT)/third-party/libz.a: $(call third_party,$(zlib_sources))
$(OUT)/third-party/libzstd.a: $(call third_party,$(zstd_sources))
$(OUT)/third-party/%.a:
	$(say) archive $@
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

# What level 3, which is ours, makes no use of: its templates are not expanded.
$(patsubst %,$(OUT)/third-party/libzstd/lib/compress/zstd%.o,_fast _lazy _ldm _opt mt_compress _compress_superblock): private third_party_flags += -Os -DZSTD_NO_INLINE

$(OUT)/third-party/%.o: $(SOURCES)/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(say) compile $(<F)
	$(Q)$(CC) $(third_party_flags) -c $< -o $@

# ---- What each target gives -----------------------------------------------------------------

static_of = $(call target_folder,$(1)-linux-musl)/static/ink
library_of = $(call target_folder,$(1)-linux-gnu.2.17)/libinkling.so.$(VERSION)
jni_of = $(call target_folder,$(1)-linux-gnu.2.17)/jvm/libinkling_jni.so
duckdb_of = $(call target_folder,$(1)-linux-gnu.2.17)/sql/duckdb/inkling.duckdb_extension
native_of = $(call target_folder,$(1)-linux-gnu.2.17)/$(notdir $(python_native))

# A file that is sent with jobs should be small: all but the library is compiled for size, and has no tables for
# debuggers that walk its stack.
for_size := -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -ffunction-sections -fdata-sections

static-musl: $(addprefix static-,$(machines)) ## build: ink as one file for any Linux, x86-64 and aarch64, into build/targets/

static-%: FORCE
	$(call target_make,$*-linux-musl,$(call static_of,$*),small=-Os,$(for_size))

glibc-%: python-config
	$(call target_make,$*-linux-gnu.2.17,$(call library_of,$*) $(call native_of,$*),python_config='-isystem build/targets/python-config')

# Debian's pyconfig.h asks for that of the machine that is compiled for. All machines of ours have the same.
python-config: FORCE
	@for found in /usr/include/*-linux-gnu/$(notdir $(python_headers))/pyconfig.h; do for machine in $(machines); do \
	    [ ! -e "$$found" ] || install -D -m 644 "$$found" build/targets/$@/$$machine-linux-gnu/$(notdir $(python_headers))/pyconfig.h; done; done

extensions-%: glibc-%
	$(call target_make,$*-linux-gnu.2.17,$(call jni_of,$*) $(call duckdb_of,$*),machine=$*-linux-gnu unwinder=$(call target_folder,$*-linux-gnu.2.17)/libgcc_s.so.1)

# The names of gcc's unwinder, which a program that throws has loaded: it must be the same one.
$(OUT)/libgcc_s.so.1:
	$(say) link $@
	$(Q)printf 'void _Unwind_Resume(void) {}\nvoid __gcc_personality_v0(void) {}\n' > $(OUT)/unwinder.c
	$(Q)$(CC) $(CFLAGS) -fvisibility=default -fPIC -c $(OUT)/unwinder.c -o $(OUT)/unwinder.o && \
	    $(CC) -shared -Wl,-soname,libgcc_s.so.1 $(OUT)/unwinder.o -o $@ $(LDFLAGS)

# The command for macOS: compiled and linked, as quickly as may be, and not run. Its linker knows no ELF.
macos-%: FORCE
	$(call target_make,$*-macos,$(call target_folder,$*-macos)/ink,hardened_links=,-O0 -D_DARWIN_C_SOURCE)

# ---- Wheels, the source distribution and jars -----------------------------------------------

release := build/release
empty :=
hatchling = cd adapters/python && PYTHONDONTWRITEBYTECODE=1 "$$python" -m hatchling build --directory '$(abspath $(release))'

wheels: $(addprefix wheel-,$(machines)) ## build: wheels for glibc 2.17 and later, x86-64 and aarch64, into build/release/

# What the licences of libraries that are linked in ask for.
notices := build/targets/THIRD-PARTY.txt

$(notices): packaging/sources.tsv
	@mkdir -p $(@D)
	$(say) write $@
	@sources=$$($(PYTHON) -B packaging/sources.py) && cat "$$sources"/*/debian/copyright > $@.new && mv $@.new $@

wheel-%: glibc-% release-jars $(notices)
	$(say) wheel $*
	@python=$$($(packaging_env)) && export INKLING_LIBRARY='$(abspath $(call library_of,$*))' INKLING_NOTICES='$(abspath $(notices))' \
	    INKLING_JARS='$(subst $(empty) $(empty),:,$(abspath $(filter %-4.jar %-3.5.jar,$(release_jars))))' \
	    INKLING_PLATFORM=manylinux_2_17_$*.manylinux2014_$* && $(hatchling) --target wheel

sdist: ## build: the source distribution of the Python package, into build/release/
	@python=$$($(packaging_env)) && $(hatchling) --target sdist

# Jars with the library of every machine; what is Java in them is compiled by the build for this one.
jar_folder := build/targets/jars
release_jars := $(addprefix $(jar_folder)/,inkling.jar inkling-spark-4.jar inkling-spark-3.5.jar)

release-jars: $(addprefix extensions-,$(machines)) deps-hadoop ## build: the jars, with the library for x86-64 and aarch64 in each
	@$(MAKE) --no-print-directory $(jvm_folder)/spark/4/inkling/spark/Extensions.class
	@rm -rf $(jar_folder) && mkdir -p $(jar_folder)
	@$(foreach machine,$(machines),install -D -m 644 $(call jni_of,$(machine)) \
	    $(jar_folder)/native/inkling/native/linux-$(machine)/libinkling_jni.so && ):
	@for jar in $(notdir $(release_jars)); do more=$${jar#inkling}; more=$${more#-spark-}; more=$${more%.jar}; \
	    $(PYTHON) -B adapters/jvm/make_jar.py $(jar_folder)/$$jar $(VERSION) $(jvm_folder)/classes $(jar_folder)/native \
	        $${more:+$(jvm_folder)/spark/$$more} || exit 1; done

# ---- The source archive and Debian's packages -----------------------------------------------

# One date for all that is in an archive. Files are those of git, or all that are in an unpacked archive.
tar := tar --sort=name --mtime=@$(SOURCE_DATE_EPOCH) --owner=0 --group=0 --numeric-owner --mode=u+rw,go+rX,go-w
source_name := inkling-$(VERSION)
source_archive := $(release)/$(source_name).tar.gz

source-archive: ## build: all sources as one archive, which builds without git, into build/release/
	@mkdir -p $(release)
	@{ git ls-files -z 2>/dev/null || true; } > build/source.list; [ -s build/source.list ] || \
	    find . -path ./build -prune -o -name __pycache__ -prune -o -type f -printf '%P\0' > build/source.list
	@LC_ALL=C sort -z build/source.list | $(tar) --null --no-recursion --transform 's,^,$(source_name)/,' -cf - -T - | gzip -n9 > $(source_archive)
	@rm build/source.list

# Built from the source archive, in a folder of its own, where no git is.
DEPS_PACKAGES := debhelper dpkg-dev fakeroot lintian qemu-user sqlite3 libsqlite3-dev postgresql-server-dev-15

deps-packages: ## build: install with apt what packages are made and tested with (as root)
	$(call install,$(DEPS_PACKAGES))

debs: source-archive deps-packages ## build: Debian's packages for this machine, into build/release/
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && tar -xf $(source_archive) -C "$$folder" && cd "$$folder/$(source_name)" && \
	cp -r packaging/debian . && { echo 'inkling ($(VERSION)) unstable; urgency=medium' && echo && \
	    echo '  * CHANGELOG.md says what changed.' && echo && \
	    echo " -- $$(sed -n 's/^Maintainer: //p' debian/control)  $$(date -R -u -d @$(SOURCE_DATE_EPOCH))"; } > debian/changelog && \
	unset MAKEFLAGS MFLAGS && GIT_DIR=/nonexistent dpkg-buildpackage -b -us -uc -j$$(nproc) > build.log 2>&1 || \
	    { tail -n 30 build.log; echo 'make: debs: dpkg-buildpackage failed'; exit 1; }; \
	lintian --fail-on error ../*.changes && rm -f ../*-dbgsym_* && cp ../*.deb '$(abspath $(release))'

# ---- The release ----------------------------------------------------------------------------

duckdb_systems := x86_64:linux_amd64 aarch64:linux_arm64

release: ## build: all packages, with checksums and an SBOM, into build/release/
	@rm -rf $(release)
	@$(MAKE) --no-print-directory static-musl wheels sdist debs
	@$(MAKE) --no-print-directory release-index

# What else is in a release, once its parts are made.
release-index: $(notices)
	@install -m 644 $(notices) $(release)
	@$(foreach machine,$(machines),install -m 755 $(call static_of,$(machine)) $(release)/ink-$(VERSION)-linux-$(machine) && ):
	@for jar in $(release_jars); do name=$${jar##*/}; install -m 644 $$jar $(release)/$${name%.jar}-$(VERSION).jar || exit 1; done
	@$(foreach system,$(duckdb_systems),$(tar) -C $(dir $(call duckdb_of,$(firstword $(subst :, ,$(system))))) \
	    -c inkling.duckdb_extension inkling.sql | gzip -n9 > $(release)/inkling-duckdb-$(VERSION)-$(lastword $(subst :, ,$(system))).tar.gz && ):
	@cd $(release) && $(PYTHON) -B $(CURDIR)/packaging/sbom.py $(VERSION) $(SOURCE_DATE_EPOCH) $$(ls) > ../sbom.new && \
	    mv ../sbom.new inkling-$(VERSION).spdx.json && sha256sum $$(ls | grep -vx SHA256SUMS) > ../sums.new && mv ../sums.new SHA256SUMS
	@ls -l $(release)

test-packages: deps-packages hadoop-jars ## test: each package of make release in a clean place (needs root; minutes)
	@[ -f $(release)/SHA256SUMS ] || $(MAKE) --no-print-directory release
	@$(spark_java) && spark=$$($(call spark_env,test)) && hadoop=$$($(call python_env,test)) && python=$$($(packaging_env)) && \
	INK_HADOOP_PYTHON="$$hadoop" INK_SPARK_PYTHON="$$spark" "$$python" -B tests/packages/check_packages.py $(release)
