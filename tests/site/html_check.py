"""One HTML file -> what a check of it needs: its links, ids, headings, scripts, and the mistakes found on the way."""

from __future__ import annotations

import base64
import hashlib
from html.parser import HTMLParser

from tests.site import html_rules

AWAY = {"svg", "math"}  # html_rules.py is not about them
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
OPTIONAL = {"p", "li", "dt", "dd", "option", "tr", "td", "th", "tbody", "thead"}
# An open element of the left whose end tag was left out ends where one of the right begins.
CLOSES = {
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "option": {"option", "optgroup"},
    "td": {"td", "th", "tr"},
    "th": {"td", "th", "tr"},
    "tr": {"tr", "tbody"},
}
ADDRESSES = {"href", "src", "action", "data-models", "data-search", "data-app"}


class Document(HTMLParser):
    """Feed it a file; read its lists."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.links: list[tuple[str, str, str]] = []  # (tag, attribute, value)
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.errors: list[str] = []
        self.open: list[str] = []
        self.away = 0  # how many of them are drawings or formulas
        self.inline: list[str] = []  # code and styles in the page that its policy does not name
        self.policy, self.script = "", None  # the text of the open inline script
        self.named: list[tuple[str, str]] = []  # (attribute, an id it names)
        self.sorts: dict[str, str] = {}  # id -> tag
        self.labels = 0  # fields inside the open <label>
        self.terms: list[list[str]] = []  # of each open <dl>, the text of its <dt>s
        self.figure: set[str] = set()  # what the open <figure> holds
        self.feed(text)
        self.close()
        if self.open:
            self.errors.append(f"not closed: {self.open}")
        self.errors += [wrong for one in self.named if (wrong := self._dangling(*one))]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._element(tag, dict(attrs), attrs)
        if tag not in VOID:
            self.open.append(tag)
            self.away += tag in AWAY

    def _rules(self, tag: str, known: dict) -> None:
        """The standard's rules of html_rules.py, for one element outside a drawing or a formula."""
        while self.open and self.open[-1] in OPTIONAL and tag in CLOSES.get(self.open[-1], ()):
            self.open.pop()
        self.errors += html_rules.unknown(tag, list(known)) + html_rules.misplaced(tag, self.open)
        self.errors += html_rules.role(tag, known)
        self.errors += [f"<{tag} {name}> is empty" for name in ("id", "href", "for", "src") if known.get(name) == ""]
        self.named += [(name, one) for name in html_rules.IDS for one in (known.get(name) or "").split()]
        self._held(tag)

    def _held(self, tag: str) -> None:
        """Count what a label, a figure and a list of terms may hold once."""
        if tag == "label":
            self.labels = 0
        elif tag in html_rules.LABELABLE and "label" in self.open:
            self.labels += 1
            if self.labels > 1:
                self.errors.append(f"<label> holds a second field, <{tag}>")
        if tag == "dl":
            self.terms.append([])
        elif tag == "dt" and self.terms:
            self.terms[-1].append("")
        if tag == "figure":
            self.figure = set()
        elif tag == "caption" or (self.open and self.open[-1] == "figure"):
            self.figure.add(tag)

    def handle_data(self, data: str) -> None:
        if self.script is not None:
            self.script += data
        if self.open and "dt" in self.open and self.terms and self.terms[-1]:
            self.terms[-1][-1] += data

    def _left(self, tag: str) -> None:
        """What only the end of an element shows."""
        if tag == "script" and self.script is not None:
            named = base64.b64encode(hashlib.sha256(self.script.encode()).digest()).decode()
            self.inline += ["<script>"] if f"'sha256-{named}'" not in self.policy else []
            self.script = None
        if tag == "dl" and self.terms:
            terms = [one.strip() for one in self.terms.pop()]
            self.errors += [f"<dt> {one!r} twice in a <dl>" for one in sorted({t for t in terms if terms.count(t) > 1})]
        if tag == "figure" and self.figure == {"figcaption", "table", "caption"}:
            self.errors.append("a <figure> of one table has <caption> beside <figcaption>")

    def _dangling(self, name: str, one: str) -> str:
        """What is wrong with an attribute that names an id, or "" """
        if one not in self.sorts:
            return f"{name}={one} names nothing"
        if name == "for" and self.sorts[one] not in html_rules.LABELABLE:
            return f"for={one} names <{self.sorts[one]}>, which takes no label"
        return f"list={one} names no <datalist>" if name == "list" and self.sorts[one] != "datalist" else ""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._element(tag, dict(attrs), attrs)

    def _element(self, tag: str, known: dict, attrs: list) -> None:
        self.tags.append(f"svg {tag}" if self.away and "svg" in self.open else tag)
        if not self.away and tag not in AWAY:
            self._rules(tag, known)
        if len(known) != len(attrs):
            self.errors.append(f"<{tag}> says an attribute twice")
        if "id" in known:
            self.ids.append(known["id"])
            self.sorts.setdefault(known["id"], tag)
        for name, value in attrs:
            if name in ADDRESSES:
                self.links.append((tag, name, value or ""))
            if name.startswith("on") or name == "style":
                self.inline.append(f"<{tag} {name}>")
        if tag == "style":
            self.inline.append("<style>")
        if tag == "script" and "src" not in known and known.get("type") != "application/json":
            self.script = ""
        if tag == "meta" and known.get("http-equiv") == "Content-Security-Policy":
            self.policy = known["content"]
        if tag == "img" and "alt" not in known:
            self.errors.append("<img> without alt")

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID or tag not in self.open:
            self.errors.append(f"stray </{tag}>")
            return
        self._left(tag)
        while self.open and self.open[-1] != tag:
            left = self._ended()
            if left not in OPTIONAL:
                self.errors.append(f"<{left}> not closed before </{tag}>")
        self._ended()

    def _ended(self) -> str:
        left = self.open.pop()
        self.away -= left in AWAY
        return left
