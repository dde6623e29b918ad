"""The HTML standard's rules that the site's pages once broke, or easily could, as rows: no Java, no network.

The Nu Html Checker found what it found once (npm `vnu-jar`); these rows keep it found. Source of every row: the content
models and attribute tables of https://html.spec.whatwg.org/ and, for roles, https://www.w3.org/TR/html-aria/.
"""

from __future__ import annotations

LABELABLE = {"button", "input", "meter", "output", "progress", "select", "textarea"}
INTERACTIVE = {"a", "button", "details", "input", "label", "select", "textarea"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
FLOW_ALONE = HEADINGS | {
    *("address", "article", "aside", "blockquote", "details", "dialog", "div", "dl", "fieldset", "figure", "footer"),
    *("form", "header", "hr", "main", "nav", "ol", "p", "pre", "search", "section", "table", "ul"),
}
# These hold phrases alone: a block inside one is closed out of it by the parser, or simply wrong.
PHRASES_ALONE = HEADINGS | {
    *("b", "button", "caption", "code", "em", "i", "kbd", "label", "legend", "output", "p", "pre", "q", "small"),
    *("span", "strong", "sub", "sup", "time"),
}
# child -> the only parents it may have
PARENTS = {
    "li": {"ul", "ol", "menu"},
    "dt": {"dl", "div"},
    "dd": {"dl", "div"},
    "caption": {"table"},
    "thead": {"table"},
    "tbody": {"table"},
    "tr": {"table", "thead", "tbody", "tfoot"},
    "th": {"tr"},
    "td": {"tr"},
    "legend": {"fieldset"},
    "figcaption": {"figure"},
    "summary": {"details"},
    "option": {"select", "datalist", "optgroup"},
}
# parent -> the only children it may have
CHILDREN = {
    "ul": {"li"},
    "ol": {"li"},
    "dl": {"dt", "dd", "div"},
    "table": {"caption", "colgroup", "thead", "tbody", "tfoot", "tr"},
    "thead": {"tr"},
    "tbody": {"tr"},
    "tr": {"th", "td"},
    "select": {"option", "optgroup", "hr"},
    "datalist": {"option"},
    "head": {"meta", "title", "link", "script", "style", "base", "noscript"},
}
ATTRIBUTES = {
    "*": "id class lang dir title hidden tabindex role inert translate autofocus contenteditable spellcheck"
    " enterkeyhint inputmode popover draggable",
    "a": "href target rel download hreflang type",
    "button": "type name value disabled form popovertarget",
    "col": "span",
    "data": "value",
    "details": "open name",
    "form": "action method name autocomplete novalidate target",
    "iframe": "src width height loading name allow sandbox referrerpolicy allowfullscreen",
    "img": "src width height loading alt srcset sizes decoding fetchpriority",
    "input": "type name value checked disabled readonly required placeholder autocomplete list min max step accept"
    " multiple pattern maxlength size",
    "label": "for",
    "link": "rel href type as crossorigin title media hreflang sizes",
    "meta": "name content charset http-equiv property media",
    "meter": "value min max low high optimum",
    "ol": "start reversed type",
    "option": "value label selected disabled",
    "output": "for name",
    "progress": "value max",
    "script": "src type async defer",
    "select": "name disabled multiple required size",
    "style": "media",
    "td": "colspan rowspan headers",
    "textarea": "name rows cols readonly disabled placeholder required maxlength",
    "th": "scope colspan rowspan abbr headers",
    "time": "datetime",
}
# Attributes that name other elements' ids; `for` and `list` name elements of one sort.
IDS = ("aria-controls", "aria-labelledby", "aria-describedby", "aria-activedescendant", "aria-owns", "for", "list")
# html-aria: a combobox is a text field; <input type=search> may not be one.
COMBOBOX_TYPES = {"text", "email", "tel", "url"}


def unknown(tag: str, names: list[str]) -> list[str]:
    """Attributes that no element, or not this one, has."""
    allowed = f"{ATTRIBUTES['*']} {ATTRIBUTES.get(tag, '')}".split()
    own = ("data-", "aria-", "xml:")
    return [f"<{tag}> has no attribute {name}" for name in names if name not in allowed and not name.startswith(own)]


def misplaced(tag: str, above: list[str]) -> list[str]:
    """What is wrong with this tag standing inside these, outermost first."""
    parent = above[-1] if above else ""
    wrong = []
    if parent not in PARENTS.get(tag, {parent}):
        wrong.append(f"<{tag}> in <{parent}>")
    if parent in CHILDREN and tag not in CHILDREN[parent] | {"script", "template"}:
        wrong.append(f"<{parent}> holds <{tag}>")
    if tag in FLOW_ALONE and (holder := next((one for one in above if one in PHRASES_ALONE), "")):
        wrong.append(f"the block <{tag}> in <{holder}>, which holds phrases alone")
    if tag in INTERACTIVE and (holder := next((one for one in above if one in ("a", "button")), "")):
        wrong.append(f"<{tag}> in <{holder}>: one click, two meanings")
    return wrong


def role(tag: str, known: dict[str, str | None]) -> list[str]:
    """A combobox is a field for text, and says what it opens."""
    if known.get("role") != "combobox" or tag != "input":
        return []
    wrong = [] if known.get("type", "text") in COMBOBOX_TYPES else [f"<input type={known['type']}> is no combobox"]
    return wrong + [f"a combobox without {name}" for name in ("aria-expanded", "aria-controls") if name not in known]
