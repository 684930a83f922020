# Everything you type. `make` alone lists the targets. Works with GNU make 3.81 and newer.

PORT ?= 8501
HOST ?= 127.0.0.1
VENV ?= .venv
# An interpreter to use instead of the first of these that is new enough: make run PYTHON=/opt/python/bin/python3.12
PYTHON ?=
CANDIDATES = $(or $(PYTHON),python3.13 python3.12 python3.11 python3.14 python3)
# An extra package index for PyTorch, for instance its CPU build: https://download.pytorch.org/whl/cpu
TORCH_INDEX ?=
# More arguments for pytest: make test ARGS="-k decision -x"
ARGS ?=

BIN = $(VENV)/bin
PIP_INSTALL = $(BIN)/python -m pip install --quiet --no-input --disable-pip-version-check --progress-bar off \
	$(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))

.DEFAULT_GOAL := help
.PHONY: help run test check format bench clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile
	@echo "Variables: PORT=$(PORT) HOST=$(HOST) PYTHON=python3.12 TORCH_INDEX=https://download.pytorch.org/whl/cpu"

run: $(VENV)/.installed ## install what is missing, then start the app at http://localhost:8501 (PORT=, HOST=)
	@$(BIN)/python -c "$$LISTEN_CHECK" "$(HOST)" "$(PORT)"
	@case "$(HOST)" in \
	127.0.0.1|localhost|::1) echo "Crossover: http://localhost:$(PORT)  (stop with Ctrl+C)"; hosts= ;; \
	*) echo "Crossover: http://localhost:$(PORT), for colleagues http://$$(uname -n):$(PORT)  (stop with Ctrl+C)"; \
	   hosts="--server.allowedHosts *" ;; \
	esac; set -f; \
	exec $(BIN)/python -m streamlit run app.py --server.port "$(PORT)" --server.address "$(HOST)" $$hosts \
		--logger.hideWelcomeMessage true

test: $(VENV)/.installed-dev ## run every test, in a browser too; installs what they need
	@$(BIN)/python -m tests.browser.chromium
	@$(BIN)/python -m pytest -q $(ARGS)

check: $(VENV)/.installed-dev ## lint, formatting and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(VENV)/.installed-dev ## sort imports and format the code
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

bench: $(VENV)/.installed-dev ## measure speed, one line of JSON each
	@$(BIN)/python -m tests.browser.chromium
	@failed=; for script in benchmarks/[a-z]*.py; do \
		$(BIN)/python "$$script" || failed="$$failed $$script"; \
	done; \
	if [ -n "$$failed" ]; then echo "Did not run to the end:$$failed" >&2; exit 1; fi

clean: ## remove the environment and caches; your data under var/ stays
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis test-artifacts
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment. A stamp inside it is newer than the requirements it was made from.

$(BIN)/python:
	@found=; for candidate in $(CANDIDATES); do \
		if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			found=$$candidate; break; \
		fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "Python 3.11 or newer is needed (tried: $(CANDIDATES)): install one, or name it: make run PYTHON=/path/to/python3.12" >&2; \
		exit 1; \
	fi; \
	if ! "$$found" -c 'import venv, ensurepip' 2>/dev/null; then \
		echo "$$found comes without its venv module: on Debian or Ubuntu run «sudo apt-get install python3-venv», then try again." >&2; \
		exit 1; \
	fi; \
	"$$found" -m venv --clear "$(VENV)" || { rm -rf "$(VENV)"; exit 1; }

$(VENV)/.installed: requirements.txt | $(BIN)/python
	@echo "Installing what the app needs into $(VENV) (a few minutes the first time) ..."
	@$(PIP_INSTALL) -r requirements.txt 2>$(VENV)/pip.log || { $(EXPLAIN_PIP); }
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	@echo "Installing what the tests need into $(VENV) ..."
	@$(PIP_INSTALL) -r requirements-dev.txt 2>$(VENV)/pip.log || { $(EXPLAIN_PIP); }
	@touch $@

define EXPLAIN_PIP
if grep -qiE 'connection|name resolution|getaddrinfo|timed out|proxy' $(VENV)/pip.log; then \
	echo "The package index cannot be reached: check the network (behind a proxy set HTTPS_PROXY; for a mirror set PIP_INDEX_URL), then run this again. Details: $(VENV)/pip.log" >&2; \
else \
	grep -i error $(VENV)/pip.log | tail -5 >&2; \
	echo "pip could not install the requirements on $$($(BIN)/python -V) (details: $(VENV)/pip.log). If a package has no build for this Python, choose another: make clean, then make run PYTHON=python3.12" >&2; \
fi; exit 1
endef

define LISTEN_CHECK
import errno, os, socket, sys
host, port = sys.argv[1:]
if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
    sys.exit(f"PORT={port} is not a port: choose a number from 1 to 65535, for instance make run PORT=8502")
try:
    family, _, _, _, address = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name == "posix")
        probe.bind(address)
except socket.gaierror:
    sys.exit(f"HOST={host} is not an address of this machine: use HOST=127.0.0.1 (only you) or HOST=0.0.0.0 (colleagues too)")
except OSError as error:
    if error.errno == errno.EADDRINUSE:
        sys.exit(f"Port {port} is taken, perhaps by a Crossover already running: stop that, or take another: make run PORT={int(port) + 1}")
    if error.errno == errno.EACCES:
        sys.exit(f"Port {port} is reserved for the system: take one above 1023, for instance make run PORT=8501")
    sys.exit(f"HOST={host} is not an address of this machine: use HOST=127.0.0.1 (only you) or HOST=0.0.0.0 (colleagues too)")
endef
export LISTEN_CHECK
