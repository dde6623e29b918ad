"""The drawing as plain objects (vdom.js): whatever stood there before, what is asked for comes to stand there."""

from __future__ import annotations

from tests.site.plan_modules import KIT, loaded

RANDOM = """() => {
  let seed = 7;
  const dice = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const made = [1, 2, 3].map((i) => h("u", { id: `made${i}` }));
  const names = ["class", "x", "y"];
  const tree = (depth, free) => Array.from({ length: dice(5) }, () => {
    const kind = dice(6);
    if (kind === 0 && free.length) return free.splice(dice(free.length), 1)[0];
    if (kind === 1 || !depth) return `t${dice(3)}`;
    const attrs = Object.fromEntries(names.filter(() => dice(2)).map((name) => [name, String(dice(3))]));
    return [vdom.h, vdom.s][dice(2)](["b", "i"][dice(2)], attrs, tree(depth - 1, free), null);
  });
  const wanted = (one) => {
    if (typeof one === "string" || one instanceof Node) return one.id ?? one;
    return [one.tag, one.svg, names.map((name) => one.attrs[name] ?? null), one.kids.map(wanted)];
  };
  const found = (node) => {
    if (node.nodeType === Node.TEXT_NODE || node.id) return node.id ?? node.data;
    const [svg, attributes] = [node.namespaceURI === SVG_NS, names.map((name) => node.getAttribute(name))];
    return [node.nodeName.toLowerCase(), svg, attributes, [...node.childNodes].map(found)];
  };
  const [root, wrong] = [document.createElement("div"), []];
  let [kids, wandered] = [undefined, 0];
  for (let i = 0; 2000 > i; i += 1) {
    const asked = tree(3, [...made]);
    const text = JSON.stringify(asked.map(wanted));
    kids = vdom.into(root, asked, kids);
    if (JSON.stringify([...root.childNodes].map(found)) !== text) wrong.push(text);
    wandered += root.querySelectorAll("u").length;
  }
  return [wrong.slice(0, 2), wandered]; }"""

KEPT = """() => {
  const root = document.createElement("div");
  const row = (x) => [vdom.h("p", { class: "a" }, vdom.s("b", { x }), "text"), "loose"];
  const first = vdom.into(root, row(1));
  const [p, b] = [root.firstChild, root.querySelector("b")];
  b.after(h("s", { class: "foreign" }));
  const seen = new MutationObserver(() => {});
  seen.observe(root, { attributes: true, childList: true, characterData: true, subtree: true });
  const second = vdom.into(root, row(1), first);
  const same = seen.takeRecords().length;
  vdom.into(root, row(2), second);
  const changed = seen.takeRecords().map((one) => `${one.type} ${one.attributeName}`);
  return [same, changed, root.firstChild === p, root.innerHTML]; }"""


def test_a_drawing_becomes_any_other(page):
    """2,000 random drawings one after the other, among them nodes that were made before and wander."""
    wrong, wandered = loaded(page, "vdom", more=KIT).evaluate(RANDOM)
    assert wrong == []
    assert wandered > 1000


def test_what_is_the_same_is_not_touched(page):
    """The same again changes nothing; one attribute changes alone; what others put in between stays."""
    html = '<p class="a"><b x="2"></b><s class="foreign"></s>text</p>loose'
    assert loaded(page, "vdom", more=KIT).evaluate(KEPT) == [0, ["attributes x"], True, html]
