/* The block in memory: its bytes, each as the pieces of elements that it holds, and the bytes of its scale. */
import { segmented } from "../kit/controls.js";
import { h, renderList, setAttrs, setText } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { pieces } from "./parts.js";

/** @import { Now } from "./compute.js" */
/** @import { Row } from "./float32.js" */

/** @param {(i: number) => void} onHover @param {(i: number) => void} onPick */
const block_bytes = (onHover, onPick) => {
  const scale = h("div", { class: "cw-blocks-bytes cw-mono", "aria-hidden": "true" });
  const el = h("div", { class: "cw-blocks-bytes cw-mono", "aria-hidden": "true" });
  /** @param {Event} e */
  const element = (e) => Number(/** @type {HTMLElement} */ (e.target).dataset?.i ?? -1);
  el.addEventListener("pointerover", (e) => onHover(element(e)));
  el.addEventListener("pointerleave", () => onHover(-1));
  el.addEventListener("click", (e) => {
    if (element(e) >= 0) onPick(element(e));
  });
  const byte = () => h("span", { class: "cw-blocks-byte" });
  /** @param {Now} out @param {Row} row */
  const update = (out, row) => {
    renderList(scale, out.scale_bytes, byte, (span, _, b) => put(span, `said.scale_bytes.${b}`, "text", out));
    renderList(el, out.bytes, byte, (span, _, b) => {
      setAttrs(span, { "data-out": `said.bytes.${b}`, "data-format": "text" }); // its pieces, side by side
      renderList(
        span,
        pieces(out, row, b),
        () => h("span", { class: "cw-blocks-piece" }),
        (piece, [i, text]) => {
          setText(piece, text);
          setAttrs(piece, { data: { i }, class: `cw-blocks-piece${i === out.picked ? " picked" : ""}` });
        },
      );
    });
  };
  /** @param {number} i */
  const hover = (i) => {
    for (const p of /** @type {NodeListOf<HTMLElement>} */ (el.querySelectorAll(".cw-blocks-piece")))
      p.classList.toggle("hover", i >= 0 && Number(p.dataset.i) === i);
  };
  return { el, scale, update, hover };
};

/**
 * @param {{ onHover: (i: number) => void, onPick: (i: number) => void, onPacking: (packing: string) => void }} hooks
 */
export const memory_section = ({ onHover, onPick, onPacking }) => {
  const bytes = block_bytes(onHover, onPick);
  const packing = segmented({
    label: "Written by",
    options: ["stream", "halves"].map((v) => ({ value: v, label: v === "stream" ? "torchao" : "GGUF" })),
    onInput: onPacking,
  });
  const [order, place] = [h("p", { class: "cw-note" }), h("p", { class: "cw-note" })];
  const note = h("small");
  const el = h(
    "section",
    { class: "cw-section", "data-omit": true },
    h("h2", { class: "cw-heading" }, h("span", { text: "In memory" }), " ", note),
    packing.el,
    h(
      "div",
      { class: "cw-blocks-memory" },
      bytes.el,
      h("div", {}, h("span", { class: "cw-note", text: "scale" }), bytes.scale),
    ),
    place,
    order,
  );
  /** @param {Now} out @param {Row} row */
  const update = (out, row) => {
    fill(
      note,
      `${out.n > out.shown ? "the first " : ""}{bytes.length:int} bytes of codes, {scale_bytes.length:int} of scale`,
      out,
    );
    setAttrs(packing.el, { hidden: row.packings.length < 2 });
    packing.set(out.packing);
    bytes.update(out, row);
    put(place, "said.place", "text", out);
    put(order, "said.order", "text", out);
  };
  return { el, update, hover: bytes.hover };
};
