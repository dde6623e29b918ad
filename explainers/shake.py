"""JavaScript and CSS -> what a page or a beat needs of it: declarations that are reached, rules whose classes occur.

It relies on how the files here are written: a top-level statement begins at the left edge, a rule stands on a line.
"""

from __future__ import annotations

import re
from functools import cache

from minify_html import minify

from explainers.renamed import renamed

COMMENT = re.compile(r"^[ \t]*/\*.*?\*/[ \t]*\n?", re.S | re.M)
START = re.compile(r"^(?=[a-zA-Z(])", re.M)
NAMED = re.compile(
    r"(?:async )?(?:function\*?|const|let|class) (\w+)|(?!(?:window|document|globalThis)\.)(\w+(?:\.\w+)+) = "
)
WORD = re.compile(r"(?<![\w$-])(?<!(?<!\.\.)\.)[A-Za-z_$][\w$]*(?:\.\w+){0,2}")


def declared(statement: str) -> str:
    """The name a top-level statement gives to something; "" for one that only does something."""
    found = NAMED.match(statement)
    return (found[1] or found[2]) if found else ""


def entries(script: str, key: str, name: str) -> str:
    """`figures: { a: f, b: g(1, 2) }` with the entry of one name alone."""

    def kept(found: re.Match[str]) -> str:
        one = re.search(rf"\b{name}\b(?:: [^,()]+(?:\([^()]*\))?)?", found[1]) if name else None
        return f"{key}: {{ {one[0] if one else ''} }}"

    return re.sub(rf"\b{key}: \{{([^{{}}]*)\}}", kept, script)


@cache  # most statements are the kit's, which every page and every beat has
def words_of(text: str) -> frozenset[str]:
    """The names a text uses, a.b.c as a, a.b and a.b.c."""
    found = frozenset(WORD.findall(text))
    return found | {name[: dot.start()] for name in found for dot in re.finditer(r"\.", name)}


def reached(script: str, roots: str) -> str:
    """The statements that the roots need, in order; a statement without a name always stays."""
    parts = [(declared(part), part) for part in START.split(COMMENT.sub("", script)) if part.strip()]
    words = {name: words_of(part) for name, part in parts if name}
    wanted = words_of(roots).union(*(words_of(part) for name, part in parts if not name))
    new = wanted & words.keys()
    while new:
        more = set().union(*(words[name] for name in new)) - wanted
        wanted |= more
        new = more & words.keys()
    return "".join(part for name, part in parts if not name or name in wanted)


def styled(style: str, used_in: str) -> str:
    """The rules of which at least one selector has only classes that occur in a text, if only as `cell-${kind}`."""
    known = set(re.findall(r"[\w-]+", used_in))
    begun = tuple(set(re.findall(r"(?<![.\w-])([\w-]+)\$\{", used_in)))

    def occurs(name: str) -> bool:
        ends = (name.removeprefix(one) for one in begun if name.startswith(one))
        return name in known or any(end.isdigit() or end in known for end in ends)

    def kept(line: str) -> bool:
        selector, brace, _ = line.partition("{")
        if not brace or selector.startswith("@"):
            return True
        return any(all(map(occurs, re.findall(r"\.([a-zA-Z][\w-]*)", one))) for one in selector.split(","))

    return "\n".join(line for line in style.split("\n") if kept(line))


@cache
def packed(script: str, keep: str = "") -> str:
    """A module, with its indentation, as short as a minifier and short names make it; a script that the minifier
    cannot read stays as it is. With `keep` names of its top level are short, too, but for these."""
    tag, end = "<script type=module>", "</script>"
    made = minify(f"{tag}{renamed(script, keep)}{end}", minify_js=True)
    return made.removeprefix(tag).removesuffix(end)
