# Run 'make demo' for an Odoo 19 with demo data and a session on it, in one command.

PYTHON = .venv/bin/python

.PHONY: venv servers servers-stop demo demo-stop test live attack soak soak-sync cluster bench evals conformance proxies package \
    packages release-check docs golden lint format

venv: .venv/installed

.venv/installed: .venv/usable
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --editable '.[dev,docs]'
	touch $@

# What the server itself needs: the demo does not wait for tools that only developers use.
.venv/usable: pyproject.toml setup.cfg
	test -x $(PYTHON) || python3 -m tests.provisioning environment .venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

# Installs packages of the system that are missing, with apt-get, as root or by passwordless sudo:
# wkhtmltopdf, postgresql. All else is kept below ~/.cache. Its last line says how all is removed.
demo: .venv/usable
	$(PYTHON) -m tests.provisioning start 19 --brief
	$(PYTHON) -m tests.demo odoo-19

# The demo's Odoo 19 only; PostgreSQL stops, too, when no other version runs.
demo-stop:
	python3 -m tests.provisioning stop 19

# What the tests need; those that run already are left alone.
servers: venv
	$(PYTHON) -m tests.provisioning start 19 14

# All versions that run, and PostgreSQL.
servers-stop:
	python3 -m tests.provisioning stop

test: servers
	$(PYTHON) -m pytest -n 2

# The live tests on all versions; 15 to 18 run from source trees, which have to be named once.
live: venv
	$(PYTHON) -m tests.provisioning start 19 18 17 16 15 14
	$(PYTHON) -m pytest -n 2 tests/live

# What a hostile client may try, with every model of each Odoo; 'make test' tries a sample, and the
# longest attacks on the newest Odoo only.
attack: servers
	$(PYTHON) -m tests.attacks

# Writes whose answers are lost: what the toolkit says of them, and what the database says.
soak: servers
	$(PYTHON) -m tests.soak

# Loading into a warehouse while others write and workers are killed, for longer than the tests do.
soak-sync: servers
	ODOO_TOOLKIT_SOAK_ROUNDS=60 $(PYTHON) -m pytest tests/live/test_dlt_soak.py

# A team's server of four processes behind nginx, which are killed, restarted and given new keys.
cluster: servers
	$(PYTHON) -m tests.cluster

# Speed, beside other servers of the protocol; writes docs/benchmarks.md.
bench: servers
	$(PYTHON) -m tests.bench

# Every task of the evals by its reference solution, on a fresh Odoo 19: that all can be done.
evals: servers
	$(PYTHON) -m evals.run --scripted --runs 1

# The official conformance suite of MCP; skipped where no Node 22 can be had.
conformance: venv
	$(PYTHON) -m tests.conformance

# nginx and Caddy with the files of docs/operating, before a server and a real Odoo; what is not
# installed is unpacked from Debian's packages, and left out where that cannot be.
proxies: servers
	$(PYTHON) -m tests.proxies

# The packages built and validated, and installed with the oldest versions allowed on one Python.
package:
	python3 -m tests.packaging --one

# For releases: wheel, source distribution, MCP bundle and registry entry: built twice, validated, installed
# on each Python from 3.11 to 3.14 that is here, with each extra and with the oldest versions allowed, used.
packages:
	python3 -m tests.packaging

# All that a release takes but to publish it: lint, site and tests; what 'make packages' checks, where
# two builds are compared and secrets are looked for; and what is published, with its list of
# components and its sums, in build/release. At its end it says what is left to do.
release-check: lint docs test
	rm -rf build/release
	$(PYTHON) -m tests.packaging rehearse build/release

# The documentation's site, in build/site; a broken link or anything else that Sphinx warns of fails.
docs: venv
	$(PYTHON) -m docs.builder

# What clients are shown of the tools, in tests/mcp/golden: after a change of them that is meant.
golden: venv
	$(PYTHON) -m tests.mcp.golden

lint: venv
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	.venv/bin/lint-imports

format: venv
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .
