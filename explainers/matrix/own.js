/* On the page: a file of the reader's whose weights take the place of ours, and the way from a block of weights to *blocks*. */
import { makeButton, select } from "../kit/controls.js";
import { h, setAttrs, setText } from "../kit/dom.js";
import { FileError, slice_of, tensors_of } from "./slice.js";

/** @import { Data, State } from "../../.make/data_types/matrix.d.ts" */
/** @import { Matrix } from "./weights.js" */
/** @import { Tensor } from "./slice.js" */

/** A slice of the reader's: `rms` of its weights, `title` for readers. @typedef {Matrix & { name: string, title: string, rms: number }} Own */

const BLOCK = 256; // numbers that *blocks* takes, at most

/** Where the block at a place begins, and how many of its numbers *blocks* takes. @param {State} state @param {Data} data @param {number} columns */
const place_of = ({ row, column, scheme }, data, columns) => {
  const found = data.schemes.find((one) => one.name === scheme);
  const wide = Math.min(found?.shape[1] || 32, BLOCK, columns);
  return { opens: found?.opens ?? "mxfp4", row, from: Math.floor(Math.min(column, columns - 1) / wide) * wide, wide };
};

/** The address of *blocks* with those numbers. @param {HTMLElement} home @param {{ opens: string, numbers: Float32Array }} block @param {string} rule */
const address = (home, { opens, numbers }, rule) => {
  const own = Array.from(numbers, (v) => Number(v.toPrecision(9))).join(",");
  const asked = new URLSearchParams({ scheme: opens, sample: "own", own, ...(rule === "floor" ? {} : { rule }) });
  const place = new URL("../../learn/blocks/", new URL(/** @type {string} */ (home.dataset.module), document.baseURI));
  return `${place.href}?${asked}`;
};

/**
 * The page around the widget, and what is asked of it.
 * @typedef {{
 *   home: HTMLElement | null, data: Data, matrix: () => Matrix, size: () => { rows: number, columns: number }, state: () => State,
 *   onSlice: (own: Own | null) => void,
 * }} Given
 */
/**
 * Nothing where no page of ours is around the widget.
 * @typedef {(given: Given) => { update: () => void, remove: () => void }} OwnSlice
 */

/** The link to *blocks*, with the weights of the picked block. @param {HTMLElement} home @param {Given} given */
const blocks_link = (home, { data, matrix, size, state }) => {
  const link = h("a", { href: "../blocks/" });
  /** The numbers of the address are those of the moment: the matrix is made only now. */
  const aim = () => {
    const { rows, columns: wide_matrix, plain } = matrix();
    const { opens, row, from, wide } = place_of(state(), data, wide_matrix);
    const at = Math.min(row, rows - 1) * wide_matrix + from;
    setAttrs(link, { href: address(home, { opens, numbers: plain.subarray(at, at + wide) }, state().rule) });
  };
  for (const event of ["pointerenter", "focus", "click"]) link.addEventListener(event, aim);
  const update = () => {
    const { rows, columns } = size();
    const { row, from, wide } = place_of(state(), data, columns);
    setAttrs(link, {
      text: `Open ${wide} of these weights in the blocks lab: row ${Math.min(row, rows - 1)}, from column ${from} on`,
      "data-index": true,
    });
  };
  return { el: link, update };
};

/**
 * A slice with its names and the rms of its weights.
 * @param {Matrix} slice
 * @param {File} file
 * @param {Tensor} tensor
 * @returns {Own}
 */
const own_of = (slice, file, tensor) => {
  let squares = 0;
  for (const v of slice.plain) squares += v * v;
  const title = `rows 0 to ${slice.rows - 1}, columns 0 to ${slice.columns - 1} of ${tensor.name} (${tensor.dtype}, ${tensor.rows} × ${tensor.columns}); its loud input is column ${slice.loud}, the largest`;
  return {
    ...slice,
    name: `${file.name} ${file.lastModified} ${tensor.name}`,
    title,
    rms: Math.sqrt(squares / slice.plain.length),
  };
};

/** Which tensor of a file is shown. @param {Tensor[]} tensors @param {(tensor: Tensor) => void} onTensor */
const tensor_select = (tensors, onTensor) => {
  const options = tensors.map(({ name, rows, columns, dtype }, value) => ({
    value,
    label: `${name}: ${rows} × ${columns}, ${dtype}`,
  }));
  return select({ label: "tensor", options, value: 0, onInput: (i) => onTensor(tensors[i]) });
};

/**
 * Reads a file and hands over a slice of it, or null where the reader takes it back.
 * @param {(own: Own | null) => void} onSlice
 */
const file_picker = (onSlice) => {
  const input = h("input", {
    type: "file",
    accept: ".safetensors,.npy",
    "aria-label": "Your own weights: a .safetensors or .npy file",
  });
  const says = h("p", { class: "cw-note", role: "status" });
  const choice = h("div");
  /** @type {File | null} */
  let held = null;
  const back = makeButton({
    text: "back to the weights made here",
    onClick: () => {
      input.value = "";
      setText(says, "");
      choice.replaceChildren();
      setAttrs(back.el, { hidden: true });
      onSlice(null);
    },
  });
  setAttrs(back.el, { hidden: true });
  /** Runs what may fail with a sentence. @param {() => Promise<void>} work */
  const carefully = async (work) => {
    setAttrs(says, { class: "cw-note" });
    try {
      await work();
    } catch (wrong) {
      setAttrs(says, { class: "cw-error" });
      setText(says, wrong instanceof FileError ? wrong.message : "The file could not be read. Choose it again.");
    }
  };
  /** @param {Tensor} tensor */
  const show = (tensor) =>
    carefully(async () => {
      const file = /** @type {File} */ (held);
      const slice = await slice_of(file, tensor);
      if (file !== held) return;
      setText(says, "");
      setAttrs(back.el, { hidden: false });
      onSlice(own_of(slice, file, tensor));
    });
  input.addEventListener("change", () =>
    carefully(async () => {
      const file = input.files?.[0];
      if (!file) return;
      held = file;
      choice.replaceChildren();
      setText(says, "Reading the header.");
      const tensors = await tensors_of(file);
      if (file !== held) return;
      if (tensors.length > 1) choice.append(tensor_select(tensors, show).el);
      await show(tensors[0]);
    }),
  );
  return { input, says, choice, back };
};

/** @type {OwnSlice} */
export const own_slice = (given) => {
  const { home, onSlice } = given;
  if (!home) return { update: () => {}, remove: () => {} };
  const link = blocks_link(home, given);
  const { input, says, choice, back } = file_picker((own) => {
    onSlice(own);
    link.update();
  });
  const el = h(
    "div",
    { class: "cw-matrix-own" },
    h("p", {}, link.el),
    h(
      "div",
      { class: "cw-row" },
      h(
        "div",
        { class: "cw-control" },
        h("label", {}, h("span", { class: "cw-label", text: "your own weights (.safetensors, .npy)" }), input),
      ),
      choice,
      back.el,
    ),
    h("p", {
      class: "cw-note",
      text: "The file is read in this browser and sent nowhere. Shown is the corner of a matrix, 1,024 × 1,024 at most.",
    }),
    says,
  );
  home.append(el);
  return { update: link.update, remove: () => el.remove() };
};
