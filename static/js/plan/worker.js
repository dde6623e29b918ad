/* Off the page's own thread: a sheet and a layout -> other layouts to press, then the table of the best; plain rows come back. */
const answers = {};

answers.row = ({ layout: one, plan, bound, seconds: least, unhidden }) => ({
  fields: Object.fromEntries(["nodes", "per_node", "tp", "pp", "chunks", "cp", "ep", "etp", "batch"].map((name) => [name, one[name]])),
  usual: one.etp === one.usual_etp, gpus: one.gpus, dp: one.dp, here: plan.here, fits: plan.fits, sequences: plan.sequences, bytes: plan.fullest.total_bytes,
  least, unhidden, step: bound.seconds, idle: bound.of_total, binds: bound.binds,
});
answers.way = ({ changes, row }) => ({ changes, row: answers.row(row) });

/* What is one step away on each axis, whether it fits or not. */
answers.near = (sheet, one, bits) => {
  const back = one.job !== "train" ? [] : [...(one.zero > 0 ? [["zero", one.zero - 1]] : []), ...(one.recompute === "none" ? [] : [["recompute", "none"]])];
  const step = ([name, value]) => (typeof value !== "number" ? true : name === "zero" ? value === one.zero + 1 : name !== "nodes" && [0.5, 2].includes(value / one[name]));
  return [...back, ...fixes.moves(sheet, one).filter(step)].flatMap((change) => {
    const made = fixes.changed(one, [change]);
    const row = legal.problems(sheet, made).length ? null : search.row(sheet, made, bits);
    return row ? [{ changes: [change], row }] : [];
  });
};

/* A legal layout's row, also where nothing of it can be timed. */
answers.any = (sheet, one, bits) => {
  const plan = fits.plan(sheet, one, bits);
  return search.row(sheet, one, bits) || { layout: one, plan, bound: seconds.bound(sheet, plan), seconds: 0, unhidden: 0 };
};

/* What to change for each nearest legal value; GPUs are given whole nodes where they can be. */
answers.changes = (one, { field, nearest }) => nearest.flatMap((value) => {
  if (field !== "gpus") return [[[field, value]]];
  if (value % one.per_node === 0) return [[["nodes", value / one.per_node]]];
  return value <= one.device.domain ? [[["nodes", 1], ["per_node", value]]] : [];
});

/* Each of them in the place of what was chosen, those that fit first. */
answers.nearest = (sheet, one, bits, { chosen, devices }) => legal.asked(sheet, one).flatMap((problem) => answers.changes(one, problem))
  .map((changes) => ({ changes, made: layout.of({ ...chosen, ...Object.fromEntries(changes) }, devices) })).filter(({ made }) => !legal.asked(sheet, made).length)
  .map(({ changes, made }) => ({ changes, row: answers.any(sheet, made, bits) })).sort((a, b) => Number(b.row.plan.fits) - Number(a.row.plan.fits));

/* Where no single value mends a layout: the two legal ones of the same GPUs that are nearest in all axes. */
answers.MOST = 4096;  // GPUs: all layouts of more are too many to list
answers.other = (sheet, one, bits) => {
  if (one.gpus > answers.MOST) return [];
  const axes = ["tp", "pp", "chunks", "cp", "ep"];
  const far = (made) => axes.reduce((sum, name) => sum + Math.abs(Math.log2(made[name] / Math.max(one[name], 1))), 0);
  const plain = layout.make({ ...one, dcp: 1, batch: one.job === "train" ? layout.usual_batch(one) : one.batch });
  return candidates.dense(sheet, plain).flatMap((made) => candidates.folds(sheet, made).map(([ep, etp]) => layout.make({ ...made, ep, etp })))
    .filter((made) => made.etp === made.usual_etp).sort((a, b) => far(a) - far(b)).slice(0, 2)
    .map((made) => ({ changes: [...axes, "dcp"].filter((name) => made[name] !== one[name]).map((name) => [name, made[name]]), row: answers.any(sheet, made, bits) }));
};

/* {title, ways}: what to press next. */
answers.ways = (sheet, one, bits, asked) => {
  if (legal.asked(sheet, one).length) {
    const near = answers.nearest(sheet, one, bits, asked);
    return { title: "nearest legal", ways: (near.length ? near : answers.other(sheet, one, bits)).map(answers.way) };
  }
  const own = search.row(sheet, one, bits);
  if (!own?.plan.fits) {
    const found = fixes.of(sheet, one, bits);
    const nodes = found.length ? 0 : fixes.fewest_nodes(sheet, one, bits);
    return { title: found.length ? "cheapest fix" : "", ways: found.map(answers.way), nodes };
  }
  if (wastes.of(sheet, own.plan, bits).length) {
    const moves = fixes.moves(sheet, one).filter(([name]) => name !== "nodes");
    const better = moves.map((change) => fixes.tried(sheet, one, bits, change)).filter((fix) => fix && search.digits(fix.row.seconds) < search.digits(own.seconds));
    if (better.length) return { title: "cheapest fix", ways: better.sort(fixes.compare).slice(0, 4).map(answers.way) };
  }
  return { title: "one step away", ways: answers.near(sheet, one, bits).slice(0, 6).map(answers.way) };
};

answers.table = (sheet, one, bits, order) => {
  const { legal: all, fitting, rows, place, own } = search.of(sheet, one, bits, order);
  return { legal: all, fitting, rows: rows.map(answers.row), place, own: own && answers.row(own) };
};

onmessage = ({ data: [turn, sheet, one, bits, order, asked] }) => {
  postMessage([turn, "ways", answers.ways(sheet, one, bits, asked)]);
  if (!legal.asked(sheet, one).length && one.gpus <= answers.MOST) postMessage([turn, "table", answers.table(sheet, one, bits, order)]);
  postMessage([turn, "done"]);
};
