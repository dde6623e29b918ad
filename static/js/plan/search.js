/* A sheet and a layout -> the best ways to lay the same job over the same GPUs, and its place; gallery/planning/search.py. */
const search = {};

search.ORDERS = ["seconds", "unhidden"];
search.BEST = 10;

search.digits = (number) => Number(number.toPrecision(3));

/* What a table is sorted by. */
search.key = (found, order) => {
  const both = [search.digits(found.seconds), search.digits(found.unhidden)];
  const { base } = found;
  return [...(order === "seconds" ? both : both.reverse()), found.bytes, base.pp, base.chunks, base.tp, base.cp, found.ep, found.etp];
};
search.compare = (a, b) => {
  const at = a.findIndex((number, i) => number !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
};

/* Units of work in a step of a plan: training 1, else tokens of all sequences. */
search.work = ({ layout: one, here }) => (one.job === "train" ? 1 : (one.batch || here * one.dp) * (one.job === "prefill" ? one.sequence : 1));

/* A legal layout with its plan and its times; null where nothing of it can be timed. */
search.row = (sheet, one, bits) => {
  const plan = fits.plan(sheet, one, bits);
  if (!plan.timed) return null;
  const [bound, units] = [seconds.bound(sheet, plan), search.work(plan)];
  return { layout: one, plan, bound, seconds: bound.seconds / units, unhidden: bound.unhidden / units };
};
search.of_row = (row) => ({ seconds: row.seconds, unhidden: row.unhidden, bytes: row.plan.fullest.total_bytes, base: row.layout, ep: row.layout.ep, etp: row.layout.etp });

/* Every legal way to serve on the same GPUs; null for one that does not fit. */
search.serving = (sheet, one, bits) => candidates.dense(sheet, one).flatMap((made) => candidates.folds(sheet, made).map(([ep, etp]) => {
  const row = search.row(sheet, layout.make({ ...made, ep, etp }), bits);
  return row?.plan.fits ? search.of_row(row) : null;
}));

search.candidates = (sheet, one, order, own, best, bits) => {
  if (one.job === "train") return folded.fitting(sheet, one, search.ORDERS.indexOf(order), own ? own[order] : 0, best);
  const all = search.serving(sheet, one, bits);
  const found = all.filter(Boolean);
  return { legal: all.length, fits: found.length, found };
};

/* The best of them: those whose time is near the tenth's are compared digit by digit. */
search.first = (found, order, best) => {
  const times = found.map((one) => one[order]).sort((a, b) => a - b);
  const most = times.length ? times[Math.min(best, times.length) - 1] * folded.ALIKE : 0;
  return found.filter((one) => one[order] <= most).map((one) => [search.key(one, order), one]).sort((a, b) => search.compare(a[0], b[0])).slice(0, best).map(([, one]) => one);
};

/* How many are better, and one. */
search.place = (found, own, order) => {
  const [mine, time] = [search.key(own, order).slice(0, 3), own[order]];
  const better = (one) => {
    if (one[order] * folded.ALIKE < time) return true;
    return time <= one[order] * folded.ALIKE && one[order] <= time * folded.ALIKE && search.compare(search.key(one, order).slice(0, 3), mine) < 0;
  };
  return 1 + found.filter(better).length;
};

/* The layout as the table names it: without experts any etp is the same plan. */
search.alike = (sheet, one) => (legal.experts_of(sheet).length ? one : layout.make({ ...one, etp: one.usual_etp }));

/* The best layouts, and the place of this one among all that fit. */
search.of = (sheet, one, bits, order = "seconds", best = search.BEST) => {
  const own = legal.problems(sheet, one).length ? null : search.row(sheet, search.alike(sheet, one), bits);
  const mine = own?.plan.fits ? own : null;
  const all = search.candidates(sheet, one, order, mine, best, bits);
  const rows = search.first(all.found, order, best).map(({ base, ep, etp }) => search.row(sheet, layout.make({ ...base, ep, etp }), bits)).filter(Boolean);
  return { legal: all.legal, fitting: all.fits, rows, place: mine ? search.place(all.found, search.of_row(mine), order) : null, own };
};
