"""LaTeX -> MathML as plain lists [tag, child, ...], which a script builds: leaves are words, [tag, width] is a space.

`\\text{beta}` becomes ["mtext", "beta"], and a script puts this token's number there.
"""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, fromstring

from latex2mathml.converter import convert


def tree(latex: str) -> list[Any]:
    """The row of a formula."""
    return listed(fromstring(convert(latex))[0])


def listed(node: Element) -> list[Any]:
    tag = node.tag.rpartition("}")[2]
    if tag == "mspace":
        return [tag, node.attrib["width"]]
    return [tag, *([node.text] if node.text else []), *(listed(child) for child in node)]
