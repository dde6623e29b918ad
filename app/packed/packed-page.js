// The page for an address that has no file: a packed model's is drawn here, by the code of /your-model/.

import { drawingOf } from "../your_model/drawing.js";
import { packedModel, said, slugAt } from "./find-packed.js";

/** @import { PackedModel } from "../site/types.d.ts" */

/**
 * @param {string} id
 * @returns {any} an element of the page, of whatever kind
 */
const at = (id) => document.getElementById(id);
const HUB = "https://huggingface.co";

/**
 * The address that the model is shared by, its name, and what to know of it.
 * @param {PackedModel} model
 * @param {string} address
 */
function name({ slug, title, repo, marks }, address) {
  document.title = `${title} · Cutaway`;
  at("packed-title").textContent = title;
  document.head.append(Object.assign(document.createElement("link"), { rel: "canonical", href: address }));
  if (location.pathname !== new URL(address).pathname) history.replaceState(null, "", address + location.hash);
  at("packed-marks").replaceChildren(
    ...marks.flatMap((words) => [
      Object.assign(document.createElement("span"), { className: "mark", textContent: words }),
      " ",
    ]),
  );
  at("packed-repo").href = `${HUB}/${repo ?? slug}`;
  at("packed-repo").hidden = false;
}

async function begin() {
  const { packs, packed, models } = at("yours").dataset;
  const list = new URL(models, location.href).href;
  const slug = slugAt(location.href, list);
  if (!slug) return;
  const { act, draw, prepare, refuse } = drawingOf({ drawn: async () => {} });
  const folder = new URL(packed, location.href).href;
  const shown = (/** @type {boolean} */ is) => {
    at("yours").hidden = !is;
    at("missing").hidden = is;
  };
  shown(true);
  prepare(); // Python comes while the pack does
  const model = await packedModel(folder, Number(packs), slug).catch(() => undefined);
  if (model === undefined)
    return refuse("The config of this model could not be loaded. Check your network connection and reload the page.");
  if (!model) return shown(false);
  name(model, `${list}${model.slug}/`);
  const { title, config } = model;
  await act((signal) => draw({ text: config, title, source: said(model), id: "" }, signal));
}

begin().finally(() => {
  document.documentElement.dataset.ready = "true";
});
