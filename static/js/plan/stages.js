/* Layers -> pipeline stages; the twin of gallery/planning/stages.py. */
const stages = {};

/* [first, end) of the layers of each chunk, in the order in which a token meets them. */
stages.chunks = (layers, parts) => {
  const ends = layers % parts === 0 ? 0 : 1;
  const all = layers + 2 * ends;
  const [each, more] = [Math.floor(all / parts), all % parts];
  const out = [];
  for (let part = 0, start = -ends; part < parts; part += 1) {
    const stop = start + each + (part < more ? 1 : 0);
    out.push([Math.max(start, 0), Math.max(Math.min(stop, layers), Math.max(start, 0))]);
    start = stop;
  }
  return out;
};

stages.REPEATED = /\(([^()]*)\)(?:\*(\d{1,4}))?|([EtmL|])\*(\d{1,4})/;
stages.MOST_LETTERS = 10000;

/* Megatron-LM's layout string -> what each chunk is made of: "Et*2|(t|)*2L" -> Ett, t, t, L. */
stages.written_out = (text) => {
  let plain = text.replace(/[,\s]/g, "");
  for (let found; plain.length <= stages.MOST_LETTERS && (found = stages.REPEATED.exec(plain)); ) {
    const many = (found[1] || found[3] || "").repeat(Number(found[2] || found[4] || 1));
    plain = plain.slice(0, found.index) + many + plain.slice(found.index + found[0].length);
  }
  return plain.split("|");
};

/* The layers of each chunk of a layout string. */
stages.given = (text) => {
  let start = 0;
  return stages.written_out(text).map((letters) => [start, (start += letters.split("t").length - 1)]);
};

/* The stages a chunk stands on: round and round, down and back up, or one for each end that micro-batches enter. */
stages.places = (chunk, { pp, placement }) => {
  const [turn, stage] = [Math.floor(chunk / pp), chunk % pp];
  if (placement === "both") return [stage, pp - 1 - stage];
  return [placement === "v" && turn % 2 ? pp - 1 - stage : stage];
};
stages.first_stages = (one) => stages.places(0, one);
stages.last_stages = (one) => stages.places(one.pp * one.chunks - 1, one);

/* The layers of each stage, in the order in which a token meets them; kept, since a search asks again and again. Nobody writes into it. */
stages.kept = new Map();
stages.of = (layers, one) => {
  const key = `${layers} ${one.pp} ${one.chunks} ${one.placement} ${one.split}`;
  if (stages.kept.size > 512) stages.kept.clear();
  if (!stages.kept.has(key)) stages.kept.set(key, stages.dealt_out(layers, one));
  return stages.kept.get(key);
};
stages.dealt_out = (layers, one) => {
  const found = one.split ? stages.given(one.split) : stages.chunks(layers, one.pp * one.chunks);
  const out = Array.from({ length: one.pp }, () => []);
  found.forEach(([first, end], chunk) => {
    for (const stage of stages.places(chunk, one)) for (let layer = first; layer < end; layer += 1) out[stage].push(layer);
  });
  return out;
};

/* Map of kind -> how many, in the order in which they come. */
stages.counted = (sheet, layers) => {
  const out = new Map();
  for (const layer of layers) out.set(sheet.layers[layer], (out.get(sheet.layers[layer]) || 0) + 1);
  return out;
};

/* The kinds of the layers that are trained to predict further tokens, and where they stand: at the first m of a layout string, else last. */
stages.further = (sheet, { mtp }) => sheet.mtp.slice(0, mtp * Math.floor(sheet.mtp.length / Math.max(sheet.further, 1)));
stages.further_stages = (one) => {
  const chunk = stages.written_out(one.split).findIndex((letters) => letters.includes("m"));
  return chunk < 0 ? stages.last_stages(one) : stages.places(chunk, one);
};

/* Map of kind -> how many a stage has, those that predict further tokens among them. */
stages.on_stage = (sheet, one, stage, layers) => {
  const out = stages.counted(sheet, layers);
  if (one.mtp && stages.further_stages(one).includes(stage)) for (const kind of stages.further(sheet, one)) out.set(kind, (out.get(kind) || 0) + 1);
  return out;
};

/* What layers use of a layer on another stage. */
stages.crossings = (sheet, one) => {
  const at = [];
  stages.of(sheet.layers.length, one).forEach((own, stage) => own.forEach((layer) => { at[layer] = [...(at[layer] || []), stage].join(" "); }));
  return new Set(sheet.crossings.filter(([, layer, of]) => at[of] !== at[layer]).map(([name]) => name));
};

/* Micro-batches whose activations a stage holds at its fullest. */
stages.in_flight = (stage, { runs, pp, chunks, micro_batches }) => schedules.in_flight(runs, pp, chunks, micro_batches, stage);
