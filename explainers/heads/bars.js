/* One bar per stop: bytes that each token leaves. Clicking a bar goes there. */
import { renderList, s, setAttrs } from "../kit/dom.js";
import { fill, fmt, put } from "../kit/numbers.js";
import { px } from "./box_path.js";

/** @import { Now } from "./compute.js" */

/** A bar, its parts, and the stop that it stands for. @typedef {SVGGElement & { parts: SVGElement[], kv: number }} Bar */

const BAR = 26;
/**
 * @param {(kv: number) => void} onPick
 * @returns {{ el: SVGElement, update: (now: Now, width: number) => void }}
 */
export const barsView = (onPick) => {
  const svg = s("svg", { class: "cw-heads-bars", role: "img" });
  const make = () => {
    const parts = [
      s("text", { class: "cw-heads-name", x: 66 }),
      s("rect", { x: 74, height: 15, rx: 2 }),
      s("text", { class: "cw-heads-bytes" }),
    ];
    const hit = s("rect", { class: "cw-heads-hit", x: 0, height: BAR, width: "100%" });
    const g = /** @type {Bar} */ (s("g", {}, hit, parts));
    g.parts = parts;
    g.addEventListener("click", () => onPick(g.kv));
    return g;
  };
  /**
   * @param {Now} now
   * @param {number} width
   */
  const update = (now, width) => {
    const most = Math.max(...now.stops.map((stop) => stop.bytes));
    const room = Math.max(60, width - 74 - 150);
    setAttrs(svg, { viewBox: `0 0 ${width} ${BAR * now.stops.length}`, width, height: BAR * now.stops.length });
    renderList(svg, now.stops, make, (g, stop, i) => {
      const long = Math.max(1.5, (room * stop.bytes) / most);
      const [name, bar, bytes] = g.parts;
      g.kv = stop.kv;
      setAttrs(g, { class: `cw-heads-bar${stop.on ? " on" : ""}` });
      setAttrs(/** @type {Element} */ (g.firstChild), { y: i * BAR - 2 });
      put(setAttrs(name, { y: i * BAR + 14 }), `stops.${i}.label`, "text", now);
      setAttrs(bar, { y: i * BAR + 3, width: px(long) });
      fill(
        setAttrs(bytes, { x: px(82 + long), y: i * BAR + 15 }),
        `{stops.${i}.bytes:bytes KB}${stop.own ? " · as built" : ""}`,
        now,
      );
    });
    setAttrs(svg, {
      "aria-label": `Cache bytes per token: ${now.stops.map((s) => `${s.label} ${fmt.bytes(s.bytes, "KB")}`).join("; ")}`,
    });
  };
  return { el: svg, update };
};
