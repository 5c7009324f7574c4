"""Files that browsers would run, however they are named."""

from __future__ import annotations

import base64

PAGE = b"<html><script>alert(1)</script></html>"
#: Contents that some version of Odoo, some library beside it or some browser takes for a page.
POLYGLOTS = {
    "page": PAGE,
    "text before": b"hello there\n" + PAGE,
    "long text before": b"x" * 900 + PAGE,
    "BOM": b"\xef\xbb\xbf" + PAGE,
    "UTF-16": "\ufeff<html>".encode("utf-16-le"),
    "UTF-16 without BOM": "<html>".encode("utf-16-be"),
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "svg behind text": b"a <svg xmlns='http://www.w3.org/2000/svg'/>",
    "xml with a style sheet": b"<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='#'?>",
    "page before pdf": PAGE + b"\n%PDF-1.4",
    "comment": b"<!-- a --><b>",
    "script": b"#!/usr/bin/env node\nalert(1)",
    "web archive": b"From: <a>\nContent-Type: multipart/related; boundary=x\n\n--x\n" + PAGE,
}
ACTIVE_NAMES = ["a.html", "a.htm", "a.xhtml", "a.svg", "a.svgz", "a.xml", "a.js", "a.css", "a.mht"]
BAD_TYPES = [
    *("text/html", "TEXT/HTML", " text/html", "text/html;x", "text/html; charset=utf-8"),
    *("image/svg+xml", "application/xhtml+xml", "text/xml", "application/xml-dtd", "text/xsl"),
    *("message/rfc822", "multipart/related", "application/javascript", "text/css", "*/*"),
    *("unknown/unknown", "application/unknown", "application/x-thing", "text/plain, text/html"),
    *("text/plain\ntext/html", "application/vnd.mozilla.xul+xml", "application/rss+xml", "x"),
    *("text/plain; charset=utf-7; a=b", "application/x-shockwave-flash", "application/hta"),
]


def b64(content: bytes) -> str:
    return base64.b64encode(content).decode()
