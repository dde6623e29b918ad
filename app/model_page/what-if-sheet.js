// The sheet of gallery/editing/sheet.py and edited values -> parameters, and the growth sheet that weighs the cache.

/** @import { CacheRow, EditKind, EditPart, EditSheet, Edits, GrowthSheet, LayerKind, Term } from "../site/types.d.ts" */

const FORMATS = ["fp8_ds_mla", "fp8_bf16rope_fp4index"];
/** @param {number} n */
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

/**
 * A sum of products: [[factor, place, ...], ...]; -1 - place is 1 where that field is 0.
 * @param {Term} one
 * @param {number[]} values
 */
const term = ([factor, ...places], values) =>
  places.reduce((product, place) => product * (place < 0 ? Number(values[-1 - place] === 0) : values[place]), factor);
/**
 * @param {Term[]} terms
 * @param {number[]} values
 */
const sum = (terms, values) => terms.reduce((total, one) => total + term(one, values), 0);

/**
 * The fields' values in their order, edits over what the model has.
 * @param {EditSheet} sheet
 * @param {Edits} [changes]
 * @returns {number[]}
 */
export const valuesOf = (sheet, changes = {}) => sheet.fields.map(([id, , , , value]) => changes[id] ?? value);

/**
 * The kind of every layer.
 * @param {EditSheet} sheet
 * @param {number[]} values
 * @returns {number[]}
 */
export function stack(sheet, values) {
  const [first, period, last] = sheet.layers,
    place = sheet.fields.findIndex(([id]) => id === "layers");
  if (place < 0) return first;
  const count = values[place],
    end = count > first.length + last.length ? last : [],
    between = Math.max(count - first.length - end.length, 0);
  return [...first.slice(0, count), ...Array.from({ length: between }, (_, at) => period[at % period.length]), ...end];
}

/**
 * Parameters of experts that one token does not visit.
 * @param {EditSheet} sheet
 * @param {EditKind} kind
 * @param {number[]} values
 */
function resting(sheet, [, foreign, , mlp], values) {
  const part = mlp.map((place) => sheet.parts[place]).find((one) => one.each);
  if (!part?.each || !part.k) return 0;
  const [experts, chosen] = part.k.map((one) => term(one, values)),
    visited = Math.min(chosen, experts);
  return part.each * (experts - visited) + foreign - Math.floor((foreign * visited) / experts);
}

/**
 * {total, active, layers}: as gallery.parameters counts them.
 * @param {EditSheet} sheet
 * @param {number[]} values
 */
export function counts(sheet, values) {
  const sizes = sheet.parts.map((part) => sum(part.total, values));
  const each = sheet.kinds.map((kind) => {
    const whole = kind[0] + [...kind[2], ...kind[3]].reduce((total, place) => total + sizes[place], 0);
    return [whole, whole - resting(sheet, kind, values) - kind[5]];
  });
  const every = stack(sheet, values),
    found = { total: sheet.outside, active: sheet.outside - sheet.looked_up, layers: every.length };
  for (const kind of every) {
    found.total += each[kind][0];
    found.active += each[kind][1];
  }
  return found;
}

// ---------------------------------------------------------------- what is kept

/**
 * Things of one kind that grow alike are one row, as gallery.counting.kv_cache.together makes them.
 * @param {EditSheet} sheet
 * @param {EditKind} kind
 * @param {number[]} values
 * @returns {CacheRow[]}
 */
function rowsOf(sheet, kind, values) {
  /** @type {Map<string, CacheRow>} */
  const alike = new Map();
  for (const [word, numbers, bits, every, cap, fixed, packed] of kind[2].flatMap(
    (place) => sheet.parts[place].kept ?? [],
  )) {
    const tokens = Array.isArray(cap) ? values[cap[0]] : cap,
      many = sum(numbers, values);
    const end = !tokens || (Array.isArray(cap) && sheet.longest && tokens >= sheet.longest) ? null : tokens;
    const key = [word, every, end, fixed].join(),
      row = alike.get(key) ?? [word, 0, 0, every, end, fixed, {}];
    if (bits) row[2] += bits * many;
    else row[1] += many;
    packed.forEach(([slope, still, blocks], at) => {
      row[6][FORMATS[at]] = (row[6][FORMATS[at]] ?? 0) + slope * many + still + blocks * Math.ceil(many / 128);
    });
    alike.set(key, row);
  }
  const around = kind[4].map(
    ([word, numbers, bits, every, cap, fixed]) =>
      /** @type {CacheRow} */ ([word, 0, bits * sum(numbers, values), every, cap, fixed, {}]),
  );
  return [...alike.values(), ...around];
}

/**
 * @param {EditSheet} sheet
 * @param {number[]} every
 * @param {number[]} values
 */
function usual(sheet, every, values) {
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const kind of every)
    for (const place of sheet.kinds[kind][2]) {
      const told = sheet.parts[place].usual;
      if (!told) continue;
      const key = [term(told[0], values), told[1]].join();
      times.set(key, (times.get(key) ?? 0) + 1);
    }
  /** @type {string | null} */
  let best = null;
  for (const [key, many] of times) if (best === null || many > (times.get(best) ?? 0)) best = key;
  return best === null ? null : [every.length, ...best.split(",").map(Number)];
}

/**
 * The growth sheet of gallery/counting/cache_growth.py, and for each layer the place of its kind in it.
 * @param {EditSheet} sheet
 * @param {number[]} values
 * @returns {[sheet: GrowthSheet, kinds: number[]]}
 */
export function growth(sheet, values) {
  const every = stack(sheet, values),
    /** @type {LayerKind[]} */
    kinds = [],
    /** @type {string[]} */
    words = [],
    /** @type {Map<number, number>} */
    place = new Map();
  for (const kind of new Set(every)) {
    const rows = rowsOf(sheet, sheet.kinds[kind], values),
      text = JSON.stringify(rows);
    if (!words.includes(text)) {
      words.push(text);
      kinds.push([0, rows]);
    }
    place.set(kind, words.indexOf(text));
  }
  const placeOf = (/** @type {number} */ kind) => /** @type {number} */ (place.get(kind));
  for (const kind of every) kinds[placeOf(kind)][0] += 1;
  return [
    { loops: sheet.loops, longest: sheet.longest, usual: usual(sheet, every, values), kinds },
    every.map(placeOf),
  ];
}

// ---------------------------------------------------------------- colours and names

/**
 * @param {EditPart} part
 * @param {number[]} values
 */
function called({ role, short, how }, values) {
  if (!how) return [role, short];
  const [rule, sees, seen, heads, kv, chooses, end] = how;
  const [window, many, keys] = [sees, heads, kv].map((one) => term(one, values));
  const wears = chooses === 2 ? "sparse" : window ? "window" : rule === "latent" ? "latent" : "full";
  const size = grouped(window);
  if (rule === "compressed") return [role, `window ${size}`];
  if (rule === "convolved") return [wears, window ? `CCA window ${size}` : "CCA"];
  if (rule === "latent")
    return [wears, (window ? `MLA window ${size}` : "MLA") + ["", " + reused index", " + indexer"][chooses]];
  const kind = keys === many ? "MHA" : keys === 1 ? "MQA" : "GQA";
  return [wears, (window ? `${seen} ${size}` : chooses ? `sparse ${kind}` : kind) + end];
}

/**
 * [role, words] of the mixer of each layer, as the tower colours and names it.
 * @param {EditSheet} sheet
 * @param {number[]} values
 * @returns {string[][]}
 */
export function mixers(sheet, values) {
  const told = sheet.parts.map((part) => called(part, values));
  const each = sheet.kinds.map(([, , mixer]) => {
    const words = [...new Set(mixer.map((place) => told[place][1]))];
    const name = words.length > 1 ? words.join(" + ") : mixer.length > 1 ? `${mixer.length} × ${words[0]}` : words[0];
    return [mixer.length ? told[mixer[0]][0] : "", name ?? ""];
  });
  return stack(sheet, values).map((kind) => each[kind]);
}
