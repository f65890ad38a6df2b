# Thin over CMake. `make demo` and `make test` are all a newcomer needs; they install what is missing.
.DEFAULT_GOAL := build
.PHONY: build bundle wasm playground site demo serve-demo test test-sanitizers test-threads test-fuzz test-gpu test-long bench bench-gpu bench-ranks bench-logs bench-python bench-wasm notebooks paper figures format format-check tidy docs clean

ARMATURE := build/release/bin/armature
SOURCES = $(shell git ls-files '*.h' '*.cpp')
CTEST := ctest --output-on-failure --no-tests=error -j $(shell nproc)

build: ## the command, at build/release/bin/armature, and the Python module, at build/release/python
	@scripts/install-deps build
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build --preset release --target armature_command armature_python

bundle: web/dist/bundle.js ## what reports inline; compiled into the command by the next build

# npm ci removes and fetches everything: only when what is wanted has changed.
web/dist/bundle.js: web/package-lock.json web/bundle.js
	@scripts/install-deps web
	@cd web && npm ci --no-audit --no-fund --loglevel=error && npm run --silent bundle

wasm: ## the engine for browsers, at build/wasm/bin/engine.js and .wasm (docs/playground.md); some minutes at first
	@scripts/install-deps build wasm
	@cmake --preset wasm --log-level=WARNING >/dev/null
	@cmake --build --preset wasm

playground: wasm ## the page with the engine in it, at build/playground: a folder that needs nothing else
	@rm -rf build/playground && mkdir -p build/playground
	@cp $(filter-out %/worker.js %/pack_engine.js,$(wildcard web/playground/*)) build/playground
	@node web/playground/pack_engine.js build/wasm/bin/engine.js build/wasm/bin/engine.wasm web/playground/worker.js build/playground/engine_data.js

site: bundle ## README, docs, reference, playground and graph page as a static site, at build/site
	@scripts/install-deps build web
	@scripts/install-deps wasm || { echo 'make site: no Emscripten, so no pages that compute; the rest: node web/site/generate.js build/site --alone' >&2; exit 1; }
	@$(MAKE) --no-print-directory playground
	@node web/site/generate.js build/site --playground build/playground --graph web/graph

demo: bundle build ## five worlds, eight policies, and a report to open: about a minute
	@$(ARMATURE) demo

serve-demo: build ## a decision service with made-up users at work, live at http://127.0.0.1:8600 until Ctrl-C
	@$(ARMATURE) serve runs/service-demo --demo

test: format-check bundle ## the release build with every test that guards it, reports in a browser, the installed package
	@scripts/install-deps build test python web webtest
	@if scripts/install-deps wasm; then $(MAKE) --no-print-directory playground; \
	  else echo 'No Emscripten: the engine for browsers is not built, and its tests are skipped'; rm -rf build/wasm/bin/engine.* build/playground; fi
	@cmake --preset release --log-level=WARNING -DARMATURE_DEVELOPER=ON >/dev/null
	@cmake --build --preset release
	@ARMATURE_GPU_ROUNDS=$${ARMATURE_GPU_ROUNDS:-1e6} $(CTEST) --test-dir build/release

# One build carries the fuzzers too: what is compiled twice is paid twice.
SANITIZED := unit_tests ranks_tests service_tests conformance_tests golden_tests threads_tests cli_tests fault_tests armature_python
# Statistics and messages are the release build's business; a command takes seconds to start here.
UNSANITIZED := Mpi\.|SubmitCommand|ClusterFault|DatabaseCommands|Clients\.|AdviceGrid|PlantedQuestion|ConfoundedWorlds|KeepsItsPromises|FalseAlarms|OtherRewards|AMillionUpdates|/BadInput|StudyMistake|EveryStudy|SameBytes|Docs\.|HelpExamples
test-sanitizers: test-threads ## the same code under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
	@scripts/install-deps build test python
	@cmake --preset sanitize --log-level=WARNING >/dev/null
	@cmake --build --preset sanitize --target $(SANITIZED)
	@$(CTEST) --test-dir build/sanitize -L 'unit|ranks|service|conformance|golden|threads|cli|fault|python' -E '$(UNSANITIZED)'

test-threads: # what runs in threads, under ThreadSanitizer
	@scripts/install-deps build test
	@cmake --preset tsan --log-level=WARNING >/dev/null
	@cmake --build --preset tsan --target threads_tests ranks_tests
	@$(CTEST) --test-dir build/tsan -L 'threads|ranks' -E 'Mpi\.'

FUZZERS := $(patsubst tests/fuzz/%.cpp,%,$(wildcard tests/fuzz/*_fuzz.cpp))
test-fuzz: ## a short run of every fuzzer
	@scripts/install-deps build test
	@cmake --preset sanitize --log-level=WARNING >/dev/null
	@cmake --build --preset sanitize --target $(FUZZERS)
	@$(CTEST) --test-dir build/sanitize -L fuzz

# Where CUDA's own checker is, it watches the small ones.
CUDA_PATH := $(PATH):/usr/local/cuda/bin
test-gpu: ## what needs nvcc and an NVIDIA GPU: its bytes beside those of the step engine (docs/gpu.md)
	@scripts/install-deps build test
	@cmake --preset cuda --log-level=WARNING -DARMATURE_DEVELOPER=ON >/dev/null
	@cmake --build --preset cuda --target cuda_tests gpu_tests
	@build/cuda/bin/cuda_tests --gtest_brief=1
	@build/cuda/bin/gpu_tests
	@export PATH='$(CUDA_PATH)'; if command -v compute-sanitizer >/dev/null; then \
	  compute-sanitizer --error-exitcode 1 build/cuda/bin/gpu_tests --gtest_filter='*Small*'; \
	  else echo 'No compute-sanitizer (it comes with the CUDA toolkit): nobody watched the small ones'; fi

test-long: tidy ## what does not fit into the others: static analysis, law tests and the like at full size, ten minutes of fuzzing
	@$(MAKE) test test-sanitizers test-fuzz
	@ARMATURE_LONG=1 $(CTEST) --test-dir build/release -L statistical
	@ARMATURE_LONG=1 build/release/bin/unit_tests --gtest_brief=1 --gtest_filter='GraphFiles.*'
	@cmake --build --preset sanitize --target cuda_tests
	@for half in 0 1; do GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=$$half build/sanitize/bin/cuda_tests --gtest_brief=1 & \
	  halves="$$halves $$!"; done; trap "kill $$halves" INT TERM; failed=0; \
	  for half in $$halves; do wait $$half || failed=1; done; exit $$failed  # hundreds of short ones: not a process each
	@ARMATURE_LONG=1 build/release/bin/cuda_tests --gtest_brief=1 --gtest_filter='*LongIdentity*:RandomWorlds*'
	@ARMATURE_LONG=1 build/release/bin/fault_tests --gtest_brief=1 --gtest_filter='Service*:*Cluster*:KilledShards.*'
	@ARMATURE_LONG=1 build/release/bin/ranks_tests --gtest_brief=1 --gtest_filter='*Kill*'
	@ARMATURE_LONG=1 build/release/bin/service_tests --gtest_brief=1 --gtest_filter='*HttpKills*:HttpStop.*'
	@for name in $(FUZZERS); do \
	  mkdir -p build/sanitize/long/$$name; \
	  build/sanitize/bin/$$name -max_total_time=150 -max_len=4096 -verbosity=0 build/sanitize/long/$$name tests/fuzz/$${name%_fuzz}_corpus || exit 1; \
	done

bench: ## ns per round beside naive references, measured in one run
	@scripts/install-deps build bench
	@cmake --preset release --log-level=WARNING -DARMATURE_BENCH=ON >/dev/null
	@cmake --build --preset release --target bench_ladder bench_graph bench_service bench_service_http bench_service_nodes armature_command
	@build/release/bin/bench_ladder --benchmark_color=false
	@build/release/bin/bench_graph --benchmark_color=false
	@build/release/bin/bench_service build
	@build/release/bin/bench_service_http $(ARMATURE) bench/flask_service.py build
	@build/release/bin/bench_service_nodes $(ARMATURE)

bench-gpu: ## rounds a second of a GPU beside its host's cores, and the same bytes from both; some minutes
	@scripts/install-deps build bench
	@cmake --preset cuda --log-level=WARNING -DARMATURE_BENCH=ON >/dev/null
	@cmake --build --preset cuda --target bench_gpu
	@build/cuda/bin/bench_gpu

bench-ranks: ## a study on many ranks beside threads, measured in one run; some minutes
	@scripts/install-deps build bench
	@cmake --preset release --log-level=WARNING -DARMATURE_BENCH=ON >/dev/null
	@cmake --build --preset release --target bench_ranks armature_command
	@build/release/bin/bench_ranks $(ARMATURE) build

bench-logs: ## reading a log of 10^7 rows beside pandas, measured in one run; a minute, 1 GB of disk
	@scripts/install-deps build bench
	@cmake --preset release --log-level=WARNING -DARMATURE_BENCH=ON >/dev/null
	@cmake --build --preset release --target armature_command bench_read_log
	@/usr/bin/python3 bench/logs.py build/release/bin/armature build/release/bin/bench_read_log

bench-python: build ## choose and observe, and simulate, from Python, beside plain numpy and the command, measured in one run
	@scripts/install-deps python
	@PYTHONPATH=build/release/python /usr/bin/python3 bench/python_policies.py
	@PYTHONPATH=build/release/python /usr/bin/python3 bench/python_simulate.py $(ARMATURE)

bench-wasm: build wasm ## rounds a second of the engine for browsers (node) beside the command with one thread, in one run
	@node bench/wasm.js $(ARMATURE) build/wasm/bin/engine.js build/wasm/bin/engine.wasm

notebooks: build ## runs the notebooks of examples/python again and keeps what they show
	@scripts/install-deps python
	@PYTHONPATH=build/release/python scripts/notebooks

paper: bundle build ## runs the studies, publishes them in studies/results, redraws the docs; about an hour, by the times of single runs (three longer studies with ARMATURE_LONG=1)
	@scripts/paper

figures: bundle build ## every figure and generated table of the docs, from studies/results; a few minutes
	@scripts/figures

docs: build ## the generated pages
	@$(ARMATURE) policies --format markdown > docs/policies.md
	@$(ARMATURE) families --format markdown > docs/families.md

format: ## rewrites the sources in the house style
	@scripts/install-deps build test
	@clang-format -i $(SOURCES)

format-check:
	@scripts/install-deps build test
	@clang-format --dry-run -Werror $(SOURCES)

tidy: ## clang-tidy on all of src/
	@scripts/install-deps build tidy
	@cmake --preset release --log-level=WARNING >/dev/null
	@run-clang-tidy-16 -quiet -p build/release 'src/.*\.cpp$$' > build/tidy.log 2>&1 || { grep -E 'error|warning' build/tidy.log | sort -u; exit 1; }

clean:
	@rm -rf build runs web/dist web/node_modules
