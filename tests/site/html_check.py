"""One HTML file -> what a check of it needs: its links, ids, headings, scripts, and the mistakes found on the way."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
OPTIONAL = {"p", "li", "dt", "dd", "option", "tr", "td", "th", "tbody", "thead"}
ADDRESSES = {"href", "src", "action", "data-models", "data-index", "data-app"}


class Document(HTMLParser):
    """Feed it a file; read its lists."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.links: list[tuple[str, str, str]] = []  # (tag, attribute, value)
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.errors: list[str] = []
        self.open: list[str] = []
        self.inline: list[str] = []
        self.feed(text)
        self.close()
        if self.open:
            self.errors.append(f"not closed: {self.open}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._element(tag, dict(attrs), attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._element(tag, dict(attrs), attrs)

    def _element(self, tag: str, known: dict, attrs: list) -> None:
        self.tags.append(f"svg {tag}" if "svg" in self.open else tag)
        if len(known) != len(attrs):
            self.errors.append(f"<{tag}> says an attribute twice")
        if "id" in known:
            self.ids.append(known["id"])
        for name, value in attrs:
            if name in ADDRESSES:
                self.links.append((tag, name, value or ""))
            if name.startswith("on") or name == "style":
                self.inline.append(f"<{tag} {name}>")
        if tag == "style" or (tag == "script" and "src" not in known and known.get("type") != "application/json"):
            self.inline.append(f"<{tag}>")
        if tag == "img" and "alt" not in known:
            self.errors.append("<img> without alt")

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID or tag not in self.open:
            self.errors.append(f"stray </{tag}>")
            return
        while self.open and self.open[-1] != tag:
            left = self.open.pop()
            if left not in OPTIONAL:
                self.errors.append(f"<{left}> not closed before </{tag}>")
        self.open.pop()
