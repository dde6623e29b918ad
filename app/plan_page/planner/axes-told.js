/* What tp, pp, ep and the like stand for, where they stand: titles that app/site/say.js shows on hover, focus and tap. */

import { dress } from "../../site/say.js";

/** @type {{ [field: string]: string }} */
const SAYS = {
  tp: "Tensor parallelism: so many GPUs share the matrices of each layer.",
  pp: "Pipeline parallelism: so many stages, each with consecutive layers.",
  chunks: "Model chunks that each pipeline stage holds (interleaved schedule).",
  ep: "Expert parallelism: the routed experts are distributed over so many GPUs.",
  etp: "Tensor parallelism of experts: so many GPUs share the matrices of each expert.",
  cp: "Context parallelism: so many GPUs share the tokens of a sequence.",
  dcp: "Decode context parallelism: so many tensor-parallel ranks share the tokens of a cache.",
  dp: "Data parallelism: so many copies, each with its own sequences. GPUs = tp × pp × cp × dp.",
  zero: "ZeRO: which training state is sharded over the data-parallel GPUs.",
};

const split = /** @type {HTMLElement | null} */ (document.querySelector('[data-at="fold-split"]'));
if (split) split.title = ["tp", "pp", "ep", "dp"].map((axis) => SAYS[axis]).join(" ");
for (const [name, words] of Object.entries(SAYS)) {
  const value = document.querySelector(`#in-${name}, .plan-inputs [data-at="${name}"]`);
  const field = /** @type {HTMLElement | null | undefined} */ (value?.closest(".field"));
  if (!field) continue;
  field.title = words;
  value?.setAttribute("aria-description", words);
}
dress();
