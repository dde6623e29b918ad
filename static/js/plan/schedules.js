/* A pipeline schedule's name -> its bubble, and how many micro-batches a stage has in flight; gallery/planning/schedules.py. */
const schedules = {};

schedules.row = (label, held, thirds = 3, chunks = [1, 1], v_shaped = false, rule = "") => ({ label, held, thirds, chunks, v_shaped, rule });
schedules.ROWS = {
  gpipe: schedules.row("GPipe", (p, v, m) => m),
  "1f1b": schedules.row("1F1B", (p, v, m, r) => Math.min(p - r, m)),
  interleaved: schedules.row("interleaved 1F1B", (p, v, m, r) => Math.min(2 * (p - r - 1) + (v - 1) * p + 1, m * v) / v, 3, [2, 64], false, "rounds"),
  "looped-bfs": schedules.row("Looped BFS", (p, v, m) => m, 3, [2, 64]),
  "zb-h1": schedules.row("ZB-H1", (p, v, m) => Math.min(p, m), 1),
  "interleaved-zb": schedules.row("Interleaved ZB", (p, v, m) => Math.min(p, m), 1, [2, 64], false, "rounds"),
  "zb-v": schedules.row("ZB-V", (p, v, m) => Math.min(p, m), 1, [2, 2], true),
  "dualpipe-v": schedules.row("DualPipeV", (p, v, m) => Math.min(p + 0.5, m), 2, [2, 2], true, "both ends"),
};

/* Idle time over the time of the work itself. */
schedules.bubble = (name, p, v, m) => (schedules.ROWS[name].thirds * (p - 1)) / (3 * v * m);
