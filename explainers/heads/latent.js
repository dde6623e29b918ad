/* Query heads, the matrices that rebuild a key for each of them, and the one latent that they all start from. Along x
   everything is a percentage of the drawing, so one drawing fits every width. */
import { s, setAttrs } from "../kit/dom.js";
import { gettext } from "../kit/gettext.js";
import { fill } from "../kit/numbers.js";

/** @import { Now } from "./compute.js" */

const [LEFT, WIDE, GAP] = [29, 41, 0.4]; // percent of the drawing, of the yellow boxes
/** @param {number} x */
const percent = (x) => `${Math.round(100 * x) / 100}%`;
/** @param {number} head */
const headBox = (head) => `M${head} 0h.86v10h-.86z`;

/** @returns {{ el: SVGElement, update: (now: Now, head: number) => void }} */
export const latentView = () => {
  /** @param {string} css */
  const path = (css) => s("path", { class: css });
  const [all, on, up, fan] = ["q", "q on", "up", "fan"].map((css) => path(`cw-heads-${css}`));
  /**
   * @param {{ y?: number, height: number }} room
   * @param {SVGElement[]} paths
   */
  const strip = (room, ...paths) => s("svg", { ...room, width: "100%", preserveAspectRatio: "none" }, paths);
  const strips = [strip({ height: 40 }, all, on), strip({ y: 56, height: 18 }, up)];
  const strands = strip({ y: 74, height: 82 }, fan);
  const boxes = [0, 1].map(() => s("rect", { y: 156, height: 46, rx: 3 }));
  const names = [0, 1].map(() => s("text", { class: "cw-heads-letter", y: 184 }));
  const el = s(
    "svg",
    { class: "cw-heads-latent", width: "100%", height: 206, role: "img" },
    strips,
    strands,
    s("g", { class: "cw-heads-kv" }, boxes),
    names,
  );
  /** @param {Now} now */
  const updateYellow = (now) => {
    const { rank, rope } = now.mla;
    const share = (WIDE * rank) / (rank + rope);
    [
      { x: LEFT, wide: share, words: gettext("latent, {mla.rank} numbers") },
      { x: LEFT + GAP + share, wide: WIDE - share, words: "{mla.rope}" },
    ].forEach(({ x, wide, words }, i) => {
      setAttrs(boxes[i], { x: percent(x), width: percent(wide) });
      fill(setAttrs(names[i], { x: percent(x + wide / 2) }), words, now);
    });
  };
  /**
   * @param {Now} now
   * @param {number} head the one that is looked at
   */
  const update = (now, head) => {
    const heads = Array.from({ length: now.heads }, (_, i) => i);
    const middle = Math.floor(now.heads / 2) - 1;
    for (const one of strips) setAttrs(one, { viewBox: `0 0 ${now.heads} 10` });
    setAttrs(strands, { viewBox: `-.43 0 ${now.heads} 100` });
    for (const one of [all, up]) setAttrs(one, { d: heads.map(headBox).join("") });
    setAttrs(on, { d: headBox(head) });
    setAttrs(fan, { d: heads.map((i) => `M${i} 0C${i} 55 ${middle} 45 ${middle} 100`).join("") });
    updateYellow(now);
    setAttrs(el, {
      "aria-label": gettext(
        "{heads} query heads; each rebuilds its own key and value from one latent of {rank} numbers",
        { heads: now.heads, rank: now.mla.rank },
      ),
    });
  };
  return { el, update };
};
