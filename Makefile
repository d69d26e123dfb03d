# The usual ways in; CMake does the work. `make help` lists them.

SCENE        ?= scenes/first/jelly.yaml
RESULTS      ?= results/$(basename $(notdir $(SCENE)))
FRAME        ?= $(if $(filter scenes/first/jelly.yaml,$(SCENE)),16,$(if $(filter scenes/first/dam.yaml,$(SCENE)),7))
PREFIX       ?= /usr/local
JOBS         ?= $(shell nproc)
FUZZ_SECONDS ?= 60

# Machines older than x86-64-v3 get the portable build.
old_machine := $(shell [ "$$(uname -m)" != x86_64 ] || grep -qw avx2 /proc/cpuinfo 2>/dev/null || echo yes)
PRESET ?= $(if $(old_machine),portable,release)

BUILD  = build/$(PRESET)
DRENCH = $(BUILD)/drench

configure = cmake --preset $(1) --log-level=$(or $(LOG),STATUS) $(CMAKE_FLAGS)
compile   = cmake --build build/$(1) --parallel $(JOBS)
check     = ctest --preset $(1) --parallel $(JOBS) $(CTEST_FLAGS)

.PHONY: help run build test quick bench validate docs viewer install asan tsan fuzz format clean

help:
	@echo 'make run       install what is missing, build, run $(SCENE) into $(RESULTS), draw it'
	@echo 'make test      install what is missing, build, run every test'
	@echo 'make quick     only the tests that take seconds'
	@echo 'make bench     the benchmarks, each beside its floor'
	@echo 'make validate  every validation case at its defaults, the table of docs/validation-table.md'
	@echo 'make docs      write the generated pages anew'
	@echo 'make viewer    build the page of drench view anew (Node.js)'
	@echo 'make install   into PREFIX=$(PREFIX), below DESTDIR'
	@echo 'make asan      every test under the address and undefined-behaviour sanitizers'
	@echo 'make tsan      every test under the thread sanitizer'
	@echo 'make fuzz      every fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)'
	@echo 'make format    clang-format over all C files'
	@echo 'make clean     remove build/ (results/ stays)'

run: build
	@echo
	$(DRENCH) run $(SCENE) -o $(RESULTS) --overwrite
	@echo; $(DRENCH) render $(RESULTS) -o $(RESULTS).png $(if $(FRAME),--frames $(FRAME)) || tools/preview $(RESULTS) -o $(RESULTS).png || true
	@echo '(drench is $(DRENCH) until `make install` puts it on the path.)'
	@echo 'More in docs/start.md: look at the results with Python, write a scene, write a program.'

build:
	@tools/setup run
	@$(call configure,$(PRESET))
	@$(call compile,$(PRESET)) --target drench_program

test:
	@tools/setup test
	@$(call configure,$(PRESET))
	@$(call compile,$(PRESET))
	@$(call check,$(PRESET)) && echo 'All tests passed.'

quick:
	@$(call configure,$(PRESET)) >/dev/null
	@$(call compile,$(PRESET))
	@$(call check,$(PRESET)) -L quick

bench: build
	$(DRENCH) bench $(or $(BENCH),--all)

validate: build
	tools/validation_table --program $(DRENCH) >docs/validation-table.md.new
	mv docs/validation-table.md.new docs/validation-table.md

docs: build
	$(DRENCH) generate scene-reference >docs/scene-reference.md.new
	mv docs/scene-reference.md.new docs/scene-reference.md

viewer:
	@tools/setup viewer
	cd viewer && npm ci --no-audit --no-fund && npm run build

install:
	@tools/setup run
	@$(call configure,$(PRESET))
	@$(call compile,$(PRESET))
	cmake --install $(BUILD) --prefix $(PREFIX)

asan tsan:
	@tools/setup $(if $(filter tsan,$@),tsan,test)
	@$(call configure,$@)
	@$(call compile,$@)
	@$(call check,$@) && echo 'All tests passed.'

fuzz:
	@tools/setup fuzz
	@$(call configure,fuzz)
	@$(call compile,fuzz)
	@tools/fuzz build/fuzz/tests $(FUZZ_SECONDS) $(TARGETS)

format:
	@tools/setup format
	git ls-files '*.c' '*.h' | xargs clang-format-14 -i

clean:
	rm -rf build
