"""What axe-core finds on a page: every rule on every element, contrast once for each look that elements have.

Contrast takes four fifths of axe's time. Text in the same classes, colours and sizes, on the same backgrounds, is one
look: of each the first six are measured, so that two thousand alike names of keys do not ask the same again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import Page

from tests.guarded import painted

ALL: dict[str, Any] = {}
CONTRAST = {"runOnly": ["color-contrast"]}  # a theme changes colours alone
ALIKE = 6

LOADED = "() => Boolean(window.axe)"
RUN = """async ([context, options, alike]) => {
  const seen = new Map(), looks = new WeakMap(), marked = [];
  const look = (node) => {
    if (!looks.has(node)) {
      const above = node.assignedSlot || node.parentElement || node.getRootNode().host, style = getComputedStyle(node);
      const ground = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter].join();
      const name = `${node.localName}.${node.getAttribute("class") || ""} ${ground}`;
      looks.set(node, `${above ? look(above) : ""} > ${name}`);
    }
    return looks.get(node);
  };
  const written = (node) => node.matches("input, select, textarea, button")
    || [...node.childNodes].some((one) => one.nodeType === Node.TEXT_NODE && one.data.trim());
  const mark = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) mark(node.shadowRoot);
      if (!written(node)) continue;
      const { color, fill, fontSize, fontWeight, textShadow } = getComputedStyle(node);
      const one = [look(node), color, fill, fontSize, fontWeight, textShadow].join();
      seen.set(one, (seen.get(one) || 0) + 1);
      if (seen.get(one) > alike) continue;
      node.setAttribute("data-contrast", "");
      marked.push(node);
    }
  };
  mark(document);
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-contrast]" }] });
  const found = await axe.run(context || document, { ...options, resultTypes: ["violations"] });
  for (const node of marked) node.removeAttribute("data-contrast");
  const wrong = found.violations.flatMap(({ id, nodes }) => nodes.map((one) => `${id}: ${one.target} ${one.html}`));
  return [wrong, found.passes.length, `axe-core ${found.testEngine.version}`];
}"""


@dataclass(frozen=True)
class Found:
    """Violations, each as "rule: element"; how many rules passed; which axe-core looked."""

    wrong: list[str]
    passed: int
    engine: str


@cache
def script() -> str:
    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")


def look(page: Page, context: Any = None, rules: dict[str, Any] = ALL) -> Found:
    """Run axe on a page, or on the parts of it that `context` names as axe does."""
    painted(page)
    if not page.evaluate(LOADED):
        page.evaluate(script())
    return Found(*page.evaluate(RUN, [context, rules, ALIKE]))
