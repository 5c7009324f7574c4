"""What the suite's plugin makes of skips and of failures, in a run of pytest of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit import trusted
from tests.kit.trusted import AllowedSkip, allowed_skips, may_skip

pytest_plugins = ["pytester"]

REASON = "Nothing to be had."


@pytest.fixture(autouse=True)
def _plugin(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.delenv("ODOO_TEST_SERVERS", raising=False)
    pytester.makeconftest('pytest_plugins = ["tests.kit.trusted"]')


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *words, timeout=120)


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_unlisted_skip_fails(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    pytester.makepyfile(
        f"import pytest\ndef test_one():\n    pytest.skip('{REASON}')\ndef test_other(): pass"
    )

    result = run(pytester, *workers)

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"*Skipped: {REASON}", "*allowed_skips.toml does not allow*"])


def test_unlisted_skip_of_a_file_fails(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import pytest\npytest.importorskip('no_such_package')\ndef test(): pass")

    result = run(pytester)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*could not import 'no_such_package'*"])


def test_allowed_skip_and_expected_failure_pass(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_expected(): assert False\n"
    )
    folder = pytester.mkdir("tests")
    (folder / "test_live.py").write_text(
        "import pytest\ndef test_one(): pytest.skip('ODOO_TOOLKIT_NO_LIVE=1')\n"
    )

    run(pytester).assert_outcomes(skipped=1, xfailed=1)


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_flaky_test_fails_and_is_named(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    """The second run has fixtures of its own, those of the module included."""
    pytester.makepyfile(
        "import pytest\n"
        "made = []\n"
        "@pytest.fixture(scope='module')\n"
        "def number():\n"
        "    made.append(1)\n"
        "    return len(made)\n"
        "def test_before(number): assert number == 1\n"
        "def test_flaky(number): assert number == 2\n"
        "def test_wrong(number): assert number == 0\n"
        "def test_after(number): assert number > 2\n"
    )

    result = run(pytester, *workers)

    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*= flaky =*", "*::test_flaky (call): failed, then passed"])
    assert "::test_wrong (call)" not in result.stdout.str()


def test_flaky_fixture_is_named(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import pytest\n"
        "made = []\n"
        "@pytest.fixture(scope='session')\n"
        "def number():\n"
        "    made.append(1)\n"
        "    assert len(made) > 1\n"
        "def test_flaky(number): pass\n"
    )

    result = run(pytester)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*::test_flaky (setup): failed, then passed"])


def test_hanging_test_fails_in_time(pytester: pytest.Pytester) -> None:
    """It is not tried again: that would hang as long."""
    pytester.makepyfile(
        "import threading\ndef test_hangs(): threading.Event().wait()\ndef test_other(): pass"
    )

    result = run(pytester, "-o", "timeout=1")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*Timeout (>1*"])
    assert "flaky" not in result.stdout.str()


@pytest.mark.parametrize(("own_servers", "allowed"), [(True, True), (False, False)])
def test_some_skips_are_for_own_servers(own_servers: bool, allowed: bool) -> None:
    one = AllowedSkip(tests="tests/*", reason="No .*", because="", own_servers=True)

    assert may_skip("tests/live/test_a.py::test_b", "No key", [one], own_servers) is allowed


def test_allowed_skips_say_why() -> None:
    assert all(one.because for one in allowed_skips())
    assert not may_skip("tests/unit/test_a.py", "could not import 'dlt'", allowed_skips(), True)
    assert trusted.ALLOWED_SKIPS.name == "allowed_skips.toml"
