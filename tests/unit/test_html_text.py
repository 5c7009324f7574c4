"""HTML as plain text."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odoo_toolkit.values import html_text
from odoo_toolkit.values.html_text import html_to_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("plain words", "plain words"),
        ("a < b & c", "a < b & c"),
        ("Caf&eacute; &amp; bar", "Café & bar"),
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<div>one</div><div>two</div>", "one\ntwo"),
        ("<p>a</p>" + "<p><br></p>" * 5 + "<p>b</p>", "a\n\nb"),
        ("<p>a&nbsp;b &lt; c</p>", "a b < c"),
        (
            '<p>see <a href="https://odoo.test/x?a=1">this</a></p>',
            "see [this](https://odoo.test/x?a=1)",
        ),
        ("<script>alert(1)</script><style>p{}</style><p>x</p>", "x"),
        ('<?xml version="1.0" encoding="utf-8"?><p>x</p>', "x"),
        ("<!-- nothing -->", ""),
        ("<p>unclosed <b>tags", "unclosed tags"),
        ("</p>", ""),
        ("<div>" * 300 + "deep", "deep"),
        ("<div>" * 5000 + "<p>one <b>two</b></p><p>three</p>", "one two\n\nthree"),
    ],
)
def test_reads_as_a_person_would_see_it(html: str, text: str) -> None:
    assert html_to_text(html) == text


@given(st.text(alphabet="<>/&;!-?abp \n\x00\ud800'\"=", max_size=80) | st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_odd_html_never_raises(html: str) -> None:
    assert isinstance(html_to_text(html), str)


def test_plain_text_does_not_load_the_html_parser() -> None:
    script = (
        "import sys; from odoo_toolkit.values.html_text import html_to_text as t; t('a &amp; b');"
        "print('inscriptis' in sys.modules, 'lxml' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]


def test_entities_are_resolved_once() -> None:
    """What somebody wrote as ``&lt;b&gt;`` stays that."""
    assert html_to_text("<p>&amp;lt;b&amp;gt; &lt; &amp;amp; AT&T</p>") == "&lt;b&gt; < &amp; AT&T"
    link = '<p><a href="http://x.test/?a=1&amp;b=2">go</a></p>'
    assert html_to_text(link) == "[go](http://x.test/?a=1&b=2)"


WORDS = st.sampled_from(
    [
        "a",
        "b c",
        " d",
        "e ",
        "  ",
        "\n ",
        "&nbsp;",
        "&amp;lt;",
        "x\u00a0y",
        "é",
        "[",
        "<br>",
        "<br/>",
    ]
)


def marked(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return texts with marks and links in them."""
    tags = st.sampled_from(
        [
            ("<b>", "</b>"),
            ('<span class="x">', "</span>"),
            ('<a href="#">', "</a>"),
            ("<i>", "</i>"),
        ]
    )
    texts = st.lists(inner, max_size=3).map("".join)
    return st.builds(lambda tag, text: f"{tag[0]}{text}{tag[1]}", tags, texts)


TEXTS = st.lists(st.recursive(WORDS, marked, max_leaves=6), max_size=4).map("".join)
DIVISIONS = st.recursive(
    TEXTS.map(lambda text: f"<p>{text}</p>") | TEXTS.map(lambda text: f"<div>{text}</div>"),
    lambda inner: st.lists(inner | TEXTS, max_size=3).map(lambda of: f"<div>{''.join(of)}</div>"),
    max_leaves=6,
)


@given(st.lists(DIVISIONS, max_size=4).map("".join) | TEXTS)
@settings(max_examples=300, deadline=None)
def test_simple_texts_are_read_without_a_parser_as_with_one(html: str) -> None:
    quick = html_text._render_simple(html)
    if quick is not None:
        assert html_text._tidy(quick) == html_text._tidy(html_text._render(html))


@pytest.mark.parametrize(
    "html",
    [
        "<p>one</p>",
        '<div summary="o_mail"><p>Invoice <b>created</b></p></div>',
        '<p>see <a href="#">this</a><br>x</p>',
        "<span>Contact created</span>",
    ],
)
def test_what_odoo_writes_most_needs_no_parser(html: str) -> None:
    assert html_text._render_simple(html) is not None


@pytest.mark.parametrize(
    "html",
    [
        "<p>one<p>two</p>",
        "<p>one</b></p>",
        "<p>open",
        "<p><div>x</div></p>",
        "text<div>x</div>",
        '<p style="display:none">x</p>',
        "<ul><li>x</li></ul>",
        "<a><a>x</a></a>",
        "<p>x\x00</p>",
    ],
)
def test_what_is_not_simple_is_left_to_the_parser(html: str) -> None:
    assert html_text._render_simple(html) is None
