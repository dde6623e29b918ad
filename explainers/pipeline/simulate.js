/* Op lists -> starts, ends, what is in flight, messages, waits: simulate.py, line by line. */
const op_parts = (op) => (op[0] === "X" ? [["F", op[1], op[2]], ["B", op[3], op[4]]] : [op]);
const slot = (kind, stage, micro) => `${kind === "F" ? "F" : "B"}${stage}:${micro}`;

const op_needs = ([kind, stage, micro], last) => {
  if (kind === "F") return stage > 0 ? slot("F", stage - 1, micro) : "";
  if (kind === "W") return slot("B", stage, micro);
  return stage < last ? slot("B", stage + 1, micro) : slot("F", stage, micro);
};

const simulate = (lists, v, [f, i, w, pair], hop) => {
  const last = lists.length * v - 1;
  const [a, b, c] = [f / v, i / v, w / v];
  const long = { F: a, I: b, W: c, B: b + c, X: pair / v };
  const done = new Map();
  const at = lists.map(() => 0);
  const free = lists.map(() => 0);
  const times = lists.map(() => []);
  for (let moved = true; moved;) {
    moved = false;
    lists.forEach((ops, r) => {
      while (at[r] !== ops.length) {
        const op = ops[at[r]];
        const parts = op_parts(op);
        const inputs = parts.map((part) => op_needs(part, last)).filter(Boolean);
        if (inputs.some((n) => !done.has(n))) return;
        let start = free[r];
        for (const n of inputs) {
          const [end, where] = done.get(n);
          start = Math.max(start, where === r ? end : end + hop);
        }
        const end = start + long[op[0]];
        for (const [kind, stage, micro] of parts) if (kind !== "W") done.set(slot(kind, stage, micro), [end, r, at[r]]);
        times[r].push([start, end]);
        free[r] = end;
        at[r] += 1;
        moved = true;
      }
    });
  }
  return [times, done];
};

const held = (ops, times, until) => {
  let now = 0;
  let peak = 0;
  for (let k = 0; k !== ops.length; k += 1) {
    const [start, end] = times[k];
    if (until !== undefined && start > until) break;
    now += "FX".includes(ops[k][0]) ? 1 : 0;
    peak = Math.max(peak, now);
    if (until === undefined || end <= until) now -= "BWX".includes(ops[k][0]) ? 1 : 0;
  }
  return until === undefined ? peak : now;
};

/* The input that came last: where it was made, and the wait it ended. */
const waited_for = ({ lists, times, done, v }, rank, index) => {
  const from = index ? times[rank][index - 1][1] : 0;
  const to = times[rank][index][0];
  if (to <= from) return null;
  const inputs = op_parts(lists[rank][index]).map((part) => op_needs(part, lists.length * v - 1)).filter(Boolean).map((n) => done.get(n));
  const [end, where, made] = inputs.sort((a, b) => b[0] - a[0] || a[1] - b[1] || a[2] - b[2])[0];
  return { rank: where, index: made, end, from, to };
};

/* Every result that another rank needs: [kind, source, its op, destination, its op, sent, there]. */
const messages_of = ({ lists, done, v, hop }) => lists.flatMap((ops, r) => ops.flatMap((op, k) => op_parts(op).flatMap((part) => {
  const need = op_needs(part, lists.length * v - 1);
  const [end, source, index] = done.get(need) || [0, r];
  return source === r ? [] : [[need[0], source, index, r, k, end, end + hop]];
})));
