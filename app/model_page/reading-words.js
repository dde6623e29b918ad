// What the rows of /data/parts/<slug>.json say of some nodes, of a layer, of a tensor's name. Pure.
//
// data  {graphs: {layer3: {"mixer.q_proj": {is, what, tensors, learn}}}, tensors: {name: [shape, count, size]},
//        kinds: [[words, where, count, first layer]], layers: [kind of each], learn: {name: [title, what, target]}}

/** @import { PartRow, PartsData, TipWords } from "../site/types.d.ts" */

const FEW = 8; // steps that are written out; more are counted
const NAMED = 6; // tensors that are listed
const SIGNS = new Set(["Sum", "Product"]); // what a part is called only if it is nothing else

/**
 * @param {number} n
 * @returns {string}
 */
export const grouped = (n) =>
  Math.round(n)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
/** @param {string} name */
const short = (name) => /** @type {string} */ (name.split(".").pop());

/**
 * The rows of nodes that a part of a graph stands for: "layer3.mixer" and "q_proj" is mixer.q_proj of layer3.
 * @param {PartsData} data
 * @param {string} graph
 * @param {string[]} nodes
 * @returns {[node: string, row: PartRow][]}
 */
function rowsOf(data, graph, nodes) {
  const [layer, ...inside] = graph.split(".");
  const rows = data.graphs[layer] ?? {},
    before = inside.map((part) => `${part}.`).join("");
  return nodes
    .map((node) => /** @type {[node: string, row: PartRow]} */ ([node, rows[before + node]]))
    .filter(([, row]) => row);
}

/**
 * Experts' matrices stand in the drawing without a node of their own: the title begins with the tensor's own name.
 * @param {PartsData} data
 * @param {string} graph
 * @param {string} title
 */
function tensorsOf(data, graph, title) {
  const layer = graph.split(".")[0];
  const name = title.split(/[ :]/)[0];
  const own = Object.values(data.graphs[layer] ?? {}).flatMap((row) => row.tensors ?? []);
  return name.includes(".") ? own.filter((one) => one.endsWith(`.${name}`) || one === name) : [];
}

/**
 * @param {PartsData} data
 * @param {string} graph
 * @param {string[]} nodes
 * @param {string[]} words
 * @param {string} title
 * @returns {TipWords}
 */
export function lines(data, graph, nodes, words, title) {
  const rows = rowsOf(data, graph, nodes);
  const tensors = [
    ...new Set([
      ...rows.flatMap(([, row]) => row.tensors ?? []),
      ...(rows.length ? [] : tensorsOf(data, graph, title)),
    ]),
  ];
  const size = tensors.reduce((sum, name) => sum + (data.tensors[name]?.[2] ?? 0), 0);
  const weighty = rows.find(([, row]) => row.tensors) ?? rows.at(-1);
  const many = rows.length > FEW;
  const counted = [
    many ? `${rows.length} steps` : "",
    tensors.length > 1 ? `${tensors.length} tensors` : "",
    size && tensors.length > 1 ? `${grouped(size)} parameters` : "",
  ]
    .filter(Boolean)
    .join(", ");
  const what = many
    ? ""
    : (rows.find(([, row]) => row.what && (rows.length === 1 || !SIGNS.has(row.what)))?.[1].what ?? "");
  const head =
    what ||
    (words[0] ??
      (weighty
        ? short(weighty[0])
        : tensors.length
          ? short(title.split(/[ :]/)[0].replace(/\.(weight|bias)$/, ""))
          : title));
  const more = [...words, rows.length ? "" : title, counted].filter(
    (one, at, all) => one && one !== head && all.indexOf(one) === at,
  );
  return {
    head,
    sub: more.filter((one) => !rows.some(([, row]) => row.is.includes(one))).join(" · "),
    rows: many ? [] : rows.map(([node, row]) => ({ name: short(node), is: row.is })),
    tensors: tensors.slice(0, NAMED).map((name) => ({
      name,
      shape: (data.tensors[name] ?? [])
        .slice(0, 2)
        .filter((one, at, all) => one !== all[at - 1])
        .join(" · "),
    })),
    learn: [...new Set(rows.flatMap(([, row]) => row.learn ?? []))].map((name) => {
      const [its, what, target] = data.learn[name];
      return { title: its, what, target };
    }),
  };
}

/**
 * A line of the drawing, "a>b a>c": the value it carries, how that was made, and who reads it.
 * @param {PartsData} data
 * @param {string} graph
 * @param {string} names
 * @returns {TipWords}
 */
export function carried(data, graph, names) {
  const pairs = names.split(" ").map((name) => name.split(">"));
  const from = [...new Set(pairs.map(([a]) => a))],
    to = [...new Set(pairs.map(([, b]) => b).filter(Boolean))];
  return {
    head: from.map(short).join(", "),
    sub: to.length ? `goes to ${to.map(short).join(", ")}` : "goes on",
    rows: rowsOf(data, graph, from)
      .slice(0, FEW)
      .map(([node, row]) => ({ name: short(node), is: row.is })),
    tensors: [],
    learn: [],
  };
}

/**
 * The layer at a height of the tower, 0 at its foot and 1 at its top; a deep tower has several layers a slab.
 * @param {PartsData} data
 * @param {number} height
 * @returns {TipWords}
 */
export function located(data, height) {
  const deep = data.layers.length,
    each = Math.ceil(deep / 150),
    slabs = Math.ceil(deep / each);
  const layer = Math.min(Math.max(Math.floor(height * slabs), 0), slabs - 1) * each;
  const [words, where, count] = data.kinds[data.layers[layer]];
  const until = Math.min(layer + each, deep) - 1;
  return {
    head: until > layer ? `Layers ${layer} to ${until}` : `Layer ${layer}`,
    sub: `${words} · ${count} parameters`,
    rows: where ? [{ name: "the same in", is: where }] : [],
    tensors: [],
    learn: [],
  };
}

/**
 * "w-model.layers.7.self_attn.q_proj.weight" -> the row of the first layer of layer 7's kind, which is listed for all.
 * @param {PartsData} data
 * @param {string} id
 * @returns {string}
 */
export function rowOf(data, id) {
  for (const found of id.matchAll(/(?<=\.|^)\d+(?=\.)/g)) {
    const first = data.kinds[data.layers[Number(found[0])]]?.[3];
    if (first === undefined) continue;
    const other = id.slice(0, found.index) + first + id.slice(found.index + found[0].length);
    if (document.getElementById(other)) return other;
  }
  return id;
}
