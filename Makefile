# Run 'make demo' for an Odoo 19 with demo data and a session on it, in one command.

PYTHON = .venv/bin/python
# Half of the time in which pytest collects goes into files that the next process can use.
unexport PYTHONDONTWRITEBYTECODE

PYTEST = $(PYTHON) -m pytest
# Waits until no other heavy run is at work on this machine.
ALONE = $(PYTHON) -m tests.provisioning alone --
# Texts are looked at before anything else: these files, without collecting the others.
TEXTS = $(shell grep -rlE --include='test_*.py' 'pytest\.mark\.lint\b' tests)
# The versions of 'make live' and 'make attack', and the words that choose their tests.
ODOO = 19 18 17 16 15 14
ON_ODOO = $(subst ;, or ,$(subst $(eval) ,;,$(strip $(ODOO:%=odoo-%))))

.PHONY: help venv servers servers-stop demo demo-stop check test live attack soak soak-sync cluster browser bench evals examples \
    types conformance proxies receipts record package packages release-check docs golden lint format

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1 /' | \
	    awk '{ name = $$1; $$1 = ""; printf "%-14s%s\n", name, $$0 }'

venv: .venv/installed

.venv/installed: .venv/usable
	python3 -m tests.provisioning environment .venv '.[dev,docs]'
	touch $@

# What the server and the command need: the demo does not wait for tools that only developers use.
.venv/usable: pyproject.toml setup.cfg
	python3 -m tests.provisioning environment .venv '.[cli]'
	touch $@

# Installs packages of the system that are missing, with apt-get, as root or by passwordless sudo:
# wkhtmltopdf, postgresql. Its last line says how all that it leaves is removed.
# The session sells, so it is shown once: 'make demo AGAIN=yes' shows it again.
demo: .venv/usable ## an Odoo 19 with demo data, a session on it, and the settings to go on with
	@$(PYTHON) -m tests.provisioning start 19 --brief
	@$(PYTHON) -m tests.demo odoo-19 $(if $(AGAIN),--again)

# PostgreSQL stops, too, when no other version runs.
demo-stop: ## stops the demo's Odoo 19
	python3 -m tests.provisioning stop 19

# What the tests need; those that run already are left alone.
servers: venv ## starts Odoo 19 and 14 for the tests
	$(PYTHON) -m tests.provisioning start 19 14

servers-stop: ## stops all versions that run, and PostgreSQL
	python3 -m tests.provisioning stop

check: lint ## what needs no Odoo and no root, in minutes: texts, types, unit and MCP tests, attacks
	$(PYTEST) -n 2 -m 'not needs_odoo and not own_gate'

test: servers ## on a real Odoo 19, what differs by version also on 14; run 'make check' first
	$(ALONE) $(PYTEST) -n 2 -m 'needs_odoo and not own_gate' --ignore tests/unit --ignore tests/played

# 15 to 18 run from source trees, which have to be named once. 'make live ODOO=16' is one version of six.
live: venv ## all that 'make test' runs but attacks, on Odoo 14 to 19, as every user, in both eras; a receipt
	$(PYTHON) -m tests.provisioning start $(ODOO)
	$(ALONE) $(PYTEST) -n 2 -m 'needs_odoo and not own_gate' -k '$(ON_ODOO)' --everything --receipt live \
	    --ignore tests/unit --ignore tests/attacks

attack: venv ## what a hostile client may try, every model on Odoo 14 to 19; a receipt
	$(PYTHON) -m tests.provisioning start $(ODOO)
	$(ALONE) $(PYTHON) -m tests.attacks -k '$(ON_ODOO) or not needs_odoo'

# What the toolkit says of writes whose answers are lost, and what the database says.
soak: servers ## writes whose answers are lost, by the thousand; a team's Odoo that falls ill
	$(ALONE) $(PYTHON) -m tests.soak
	$(ALONE) $(PYTEST) -m soak -s tests/live tests/team

# For longer than 'make soak' does.
soak-sync: servers ## loading into a warehouse while others write and workers are killed
	ODOO_TOOLKIT_SOAK_ROUNDS=60 $(ALONE) $(PYTEST) -m soak tests/live

cluster: servers ## a team's server of several processes, which are killed, restarted and given new keys
	$(ALONE) $(PYTEST) -m cluster tests/cluster
	$(ALONE) $(PYTHON) -m tests.cluster

browser: venv ## views and the sign-in in Chromium
	$(ALONE) $(PYTEST) -n 2 -m browser tests/browser

bench: servers ## speed and memory, beside other servers of the protocol; writes tests/bench/results.md
	$(ALONE) $(PYTHON) -m tests.bench
	$(ALONE) $(PYTEST) -m bench -s tests/bench tests/live tests/mcp

evals: servers ## every task of the evals by its reference solution, on a fresh Odoo: that all can be done
	$(ALONE) $(PYTEST) -n 2 -m evals --everything tests/evals
	$(ALONE) $(PYTHON) -m evals.run --scripted --runs 1

examples: servers ## the documentation's notebooks and pages, on a real Odoo
	$(ALONE) $(PYTEST) -n 2 -m examples --everything tests/live

types: venv ## the documentation's examples by mypy and pyright
	$(PYTEST) -n 2 -m types tests/types

# Skipped where no Node 22 can be had.
conformance: venv ## the official conformance suite of MCP
	$(PYTHON) -m tests.conformance

# What is not installed is unpacked from Debian's packages, and left out where that cannot be.
proxies: servers ## nginx and Caddy with the files of docs/operating, before a server and a real Odoo
	$(PYTHON) -m tests.proxies

receipts: venv ## what the last 'make live' and 'make attack' found
	$(PYTHON) -m tests.receipts

package: ## the packages built, validated, and installed with the oldest versions allowed on one Python
	python3 -m tests.packaging --one

# For releases: wheel, source distribution, MCP bundle and registry entry: built twice, validated, installed
# on each Python from 3.11 to 3.14 that is here, with each extra and with the oldest versions allowed, used.
packages: ## for releases: the same on each Python, with each extra, built twice and compared
	python3 -m tests.packaging

# All that a release takes but to publish it: lint, site and tests; what 'make packages' checks, where
# two builds are compared and secrets are looked for; and what is published, with its list of
# components and its sums, in build/release. At its end it says what is left to do.
release-check: check docs types test conformance ## all that a release takes but to publish it
	rm -rf build/release
	$(PYTHON) -m tests.packaging rehearse build/release

# A broken link or anything else that Sphinx warns of fails.
docs: venv ## the documentation's site, in build/site, and its search in Chromium
	$(PYTHON) -m docs.builder
	$(PYTEST) -q -m browser tests/browser/test_search.py

# Each version that runs, on a copy of its own: start 15 to 18, too. Which recordings are stale says
# 'python -m tests.kit.record --check', without a server.
record: servers ## what operations send to Odoo, for 'make check', after a change that is meant
	$(ALONE) $(PYTHON) -m tests.kit.record

golden: venv ## writes what clients are shown of the tools, and the table of messages
	$(PYTHON) -m tests.mcp.golden
	$(PYTHON) -m tests.messages

lint: venv ## texts, style, types, layers: in seconds, before anything else
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	.venv/bin/lint-imports
	$(PYTEST) -q -m lint $(TEXTS)

format: venv ## writes the code as 'make lint' wants it
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .
