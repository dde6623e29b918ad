"""A drawing on a page as text: how many shapes of each kind, the sum of what places them, what is said and switched on.

OUTLINE(root) gives one line for each kind of element, `rect.cw-rank0 x7 height=420 width=84 x=390 y=150`: sums in whole
pixels, so that a shape that moves by a pixel changes its line, whatever the engine's last digit. What a word prints is
bound and compared elsewhere: its digits are left out here. WORK(root, ...) uses every control once and tells what each
did to the state.
"""

from __future__ import annotations

OUTLINE = r"""(root) => {
  const PLACES = new Set("x y width height cx cy r x1 x2 y1 y2 d transform points style opacity".split(" "));
  const MARKS = new Set(("hidden disabled aria-pressed aria-current aria-selected aria-valuenow aria-valuetext " +
    "aria-label visibility text-anchor data-mark").split(" "));
  const kinds = new Map();
  const still = ".beat-first, .beat-still, .learn-still";
  const away = `${still}, [hidden], .cw-scroll, details:not([open]), .cw-live, [role=grid]`;
  for (const node of root.querySelectorAll("*")) {
    if (node.parentElement.closest(away) || node.matches(`tspan, option, script, ${still}`)) continue;
    const svg = node.namespaceURI.endsWith("svg");
    const named = [...node.classList].filter((c) => c !== "cw");
    const name = [node.localName, ...named].join(".");
    const kind = kinds.get(name) || { n: 0, sums: {}, said: {} };
    const say = (what) => { kind.said[what] = (kind.said[what] || 0) + 1; };
    let told = svg || node.hidden || named.some((c) => /^(on|now|later|here|old|wanted|shut|right|yours)$/.test(c));
    for (const { name: key, value } of node.attributes) {
      if (PLACES.has(key)) {
        // sizes of a beat, which a browser tells when it likes, are no places
        const placed = value.replace(/--(show|text|after|grown): [^;]*/g, "");
        const found = placed.match(/-?\d*\.?\d+(?:e-?\d+)?/g) || [];
        kind.sums[key] = found.reduce((sum, one) => sum + Number(one), kind.sums[key] || 0);
        told = told || found.length;
        if (key === "style" && /display: none/.test(value)) say("gone");
      } else if (MARKS.has(key) && (svg || key !== "aria-label")) { say(`${key}=${value}`); told = true; }
    }
    if (node.matches("input, select")) {
      told = true;
      const value = /radio|checkbox/.test(node.type) ? node.checked : node.value;
      say(`${node.ariaLabel || node.parentElement.innerText.trim()}: ${value}`);
    }
    const own = [...node.childNodes].filter((c) => !c.children || c.localName === "tspan");
    const words = svg || node.matches(".bet-label, .bet-verdict, button") ? own.map((c) => c.textContent).join("") : "";
    if (words.trim()) say(`"${words.trim().replace(/[\d,.]*\d/g, "#")}"`);
    kind.n += 1;
    if (told) kinds.set(name, kind);
  }
  const line = ([name, { n, sums, said }]) => [n > 1 ? `${name} ×${n}` : name,
    ...Object.keys(sums).sort().map((key) => `${key}=${Math.round(sums[key])}`),
    ...Object.entries(said).map(([what, times]) => (times > 1 ? `${what} ×${times}` : what))].join("  ");
  return [...kinds].map((kind) => line(kind).replace(/\s*\n\s*/g, " "));
}"""

# What was done -> what it changed: controls by their events, stages by their keys, drawings by the pointer.
WORK = r"""async (root, get, reset) => {
  Element.prototype.setPointerCapture = () => {};
  const lines = [];
  const event = (node, kind, more = {}, Kind = Event) =>
    node.dispatchEvent(new Kind(kind, { bubbles: true, cancelable: true, ...more }));
  const seen = (node) => node.checkVisibility() && !node.disabled && !node.closest(".lab-share, [role=grid]");
  const attempt = async (what, act) => {
    const before = get();
    act();
    await 0;
    const now = get();
    const moved = Object.keys(now).filter((k) => JSON.stringify(now[k]) !== JSON.stringify(before[k]));
    if (!moved.length) return;
    lines.push(`${what}: ${moved.map((k) => `${k}=${JSON.stringify(now[k])}`).join(" ")}`);
    reset();
    await 0;
  };
  const called = (node) =>
    (node.ariaLabel || node.closest("label")?.innerText || node.innerText || "").trim().split("\n")[0];
  const controls = () => [...root.querySelectorAll("input, select, button, [role=slider]")].filter(seen)
    .map((node) => [node, called(node)]);
  let all = controls(); // looked for again where a drawing has replaced one: each look lays the whole page out
  for (let i = 0; i < all.length; i += 1) {
    if (!all[i][0].isConnected) all = controls();
    const [node, name] = all[i] || [];
    if (!node || node.closest(".bet, .bet-tool, .bet-buttons") || ["Play", "Pause"].includes(node.ariaLabel)) continue;
    const typed = (value, kind) => () => { node.value = value; event(node, kind); };
    if (node.type === "range") {
      const up = Number(node.value) < Number(node.max);
      await attempt(name, typed(String(Number(node.value) + (up ? 1 : -1) * Number(node.step || 1)), "input"));
    } else if (node.localName === "select") {
      const other = [...node.options].find((o) => o.value.endsWith("DeepSeek-V3")) || [...node.options].at(-1);
      await attempt(name, typed(other.value, "change"));
    }
    else if (node.type === "text") await attempt(`${name}, 2 typed`, typed("2", "input"));
    else if (node.localName !== "g" && node.getAttribute("role") !== "slider") await attempt(name, () => node.click());
    else if (node.tabIndex === 0) {
      for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End"]) {
        await attempt(`${name}, ${key}`, () => event(node, "keydown", { key }, KeyboardEvent));
      }
    }
  }
  return lines;
}"""

POINT = r"""(root, get, reset) => {
  Element.prototype.setPointerCapture = () => {};
  const lines = [];
  for (const svg of root.querySelectorAll("svg[width], .cw-stage svg, [role=slider] > svg")) {
    if (!svg.checkVisibility() || svg.closest(".bet, .bet-tool, .cw-scroll")) continue;
    svg.scrollIntoView({ block: "center", behavior: "instant" });
    const box = svg.getBoundingClientRect();
    for (const [fx, fy] of [[0.03, 0.97], [0.3, 0.3], [0.5, 0.55], [0.72, 0.2], [0.97, 0.75]]) {
      const at = { clientX: box.left + fx * box.width, clientY: box.top + fy * box.height, pointerId: 1, button: 0 };
      const node = document.elementFromPoint(at.clientX, at.clientY);
      if (!node || !svg.contains(node)) continue;
      const before = get();
      for (const kind of ["pointermove", "pointerdown", "pointerup", "click"]) {
        node.dispatchEvent(new PointerEvent(kind, { bubbles: true, cancelable: true, ...at }));
      }
      const now = get();
      const moved = Object.keys(now).filter((k) => JSON.stringify(now[k]) !== JSON.stringify(before[k]));
      if (!moved.length) continue;
      const said = moved.map((k) => `${k}=${JSON.stringify(now[k])}`).join(" ");
      lines.push(`${svg.classList[0] || "svg"} at ${fx} ${fy}: ${said}`);
      reset();
    }
  }
  return lines;
}"""
