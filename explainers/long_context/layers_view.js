/* The layers of a model side by side, each as wide as its share: as strips, or by what each keeps. */
import { h, renderList, s, setAttrs } from "../kit/dom.js";
import { fill } from "../kit/numbers.js";
import { LETTERS } from "./counting.js";
import { NAMED, path_of, px } from "./ruler_view.js";

/** @import { Layer, Now, Shown } from "./compute.js" */
/** @import { Paths } from "./view.js" */

/* ------------------------------------------------------------ the layers in a row */
/** @param {Now} now */
const each_layer = (now) => [...now.stack].map((letter) => now.kinds[LETTERS.indexOf(letter)]);
/** @param {Element} svg @param {Paths} paths @param {number} wide @param {number} high */
const marked = (svg, paths, wide, high) => {
  setAttrs(svg, { viewBox: `0 0 ${10 * wide} ${high}` });
  svg.replaceChildren(...Object.entries(paths).map(([css, d]) => path_of(css, d)));
};
/** @param {Paths} paths @param {string} css @param {string} d */
const add_to = (paths, css, d) => {
  paths[css] = (paths[css] || "") + d;
};
/** @param {Element} ul @param {string[][]} items @param {Now} now */
const named_in = (ul, items, now) =>
  renderList(
    ul,
    items,
    () => h("li", {}, h("i", { "aria-hidden": "true" }), h("span")),
    (li, [css, words]) => {
      setAttrs(/** @type {Element} */ (li.firstChild), { class: css });
      fill(/** @type {Element} */ (li.lastChild), words, now);
    },
  );
/**
 * @param {string} label
 * @param {number} height
 * @param {string} title
 * @param {(svg: Element, now: Now, layers: Layer[]) => string[][]} draw
 */
const layers_view = (label, height, title, draw) => {
  const [head, ul] = [h("p", { class: "cw-long-context-title" }), h("ul", { class: "cw-legend" })];
  const svg = s("svg", {
    class: "cw-long-context-strip",
    role: "img",
    "aria-label": label,
    width: "100%",
    height,
    preserveAspectRatio: "none",
  });
  /** @param {Shown} now */
  const update = (now) => {
    fill(head, title, now);
    named_in(ul, draw(svg, now, each_layer(now)), now);
  };
  return { el: [head, svg, ul], update };
};

export const strip_view = () =>
  layers_view(
    "The layers in order, each as high as what it keeps.",
    120,
    "bytes kept by each of the {of.layers:int} layers of {of.title}, from the first layer on the left",
    (svg, now, layers) => {
      const [most, paths] = [layers.reduce((a, kind) => Math.max(a, kind.keeps), 0) || 1, { kept: "" }];
      layers.forEach(({ keeps, role }, i) => {
        if (keeps) paths.kept += `M${10 * i + 1} 78v-${px(Math.max(2, (76 * keeps) / most))}h8V78z`;
        add_to(paths, role, `M${10 * i + 1} 84h8v14h-8z`);
      });
      marked(svg, paths, layers.length, 100);
      const named = now.kinds
        .slice(0, NAMED)
        .map(({ role }, i) => [role, `{kinds.${i}.count:int} × {kinds.${i}.name}: {kinds.${i}.keeps:bytes} each`]);
      const more = now.kinds.length - NAMED;
      return more > 0 ? [...named, ["dense", `and ${more} further kinds`]] : named;
    },
  );

export const mixed_view = () =>
  layers_view(
    "Layers with states and layers with caches, in order.",
    76,
    "{mix.layers:int} layers of {mix.title}, in order",
    (svg, now, layers) => {
      /** @type {Paths} */
      const paths = {};
      layers.forEach(({ keeps, role, slope }, i) => {
        const tall = keeps ? 34 : 14;
        add_to(paths, role, `M${10 * i + 1} ${36 - tall}h8v${tall}h-8z`);
        if (keeps) add_to(paths, slope ? "kept" : "fixed", `M${10 * i + 1} 42h8v${slope ? 30 : 12}h-8z`);
      });
      marked(svg, paths, layers.length, 74);
      /** @param {(kind: Layer) => unknown} wanted @param {string} other */
      const role_of = (wanted, other) => (layers.find(wanted) || { role: other }).role;
      return [
        [role_of((kind) => kind.keeps && !kind.slope, "dense"), "{mix.states:int} states of fixed size"],
        [role_of((kind) => kind.slope, "full"), "{mix.caches:int} caches that grow"],
        ["dense", "{mix.rest:int} layers that store nothing"],
      ];
    },
  );
