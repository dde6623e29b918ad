/* What compute returns -> a run's counts beside their formulas, and its time as a sum, in words. */
import { h } from "../kit/dom.js";
import { fill, put } from "../kit/numbers.js";
import { makeTable } from "../kit/table.js";

/** @import { Column } from "../kit/table.js" */
/** @import { Shown } from "./compute.js" */

/** A run's count: its key, its name, and what it is a count of. @typedef {{ key: string, what: string, now: Shown }} Row */

const ROWS = [
  ["steps", "steps"],
  ["busiest", "sent by the busiest rank"],
  ["serial", "in sequence"],
  ["inside", "busiest rank, inside a node"],
  ["outside", "busiest rank, to other nodes"],
];
/** @type {Column<Row>[]} */
const COLUMNS = [
  { key: "what", label: "steps, chunks" },
  { label: "counted", align: "right", out: (row) => `counted.${row.key}`, how: "int" },
  { label: "formula", align: "right", out: (row) => `formula.${row.key}`, how: "int" },
  { label: "written out", class: "cw-collectives-formula", out: (row) => `written.${row.key}` },
  { label: "for this S", align: "right", out: (row) => `words.${row.key}` },
];

/* What a run counted and what it costs, in words and numbers. */
export const accounts = () => {
  const counts = makeTable({ caption: "Counts from the run, next to the formula", columns: COLUMNS });
  const [same, cross] = [h("p", { class: "cw-note" }), h("p", { class: "cw-note" })];
  const [total, sum] = [h("b", { class: "cw-big" }), h("span")];
  const cost = h("p", {}, total, " = ", sum);
  /** @param {Shown} now */
  const update = (now) => {
    counts.update(ROWS.filter(([key]) => key in now.counted).map(([key, what]) => ({ key, what, now })));
    const ones = now.written.busiest.startsWith("ones")
      ? " “ones” counts the binary ones in all distances below n: a chunk is sent once for each 1 in its distance."
      : "";
    fill(
      same,
      `${now.mismatches ? "{mismatches:int} numbers differ from" : "Every number in the result equals"} the answer computed on whole arrays. The log has {log.length:int} chunks of {log.0.5:int} bytes; each stands for S / n = {chunk_bytes:kib}.${ones}`,
      now,
    );
    put(total, "words.time", "text", now);
    /** @type {["inside" | "outside", string][]} */
    const links = [
      ["inside", ""],
      ["outside", "net_"],
    ];
    const parts = links
      .filter(([link]) => now.cost[link].steps)
      .map(
        ([link, key]) =>
          `{cost.${link}.steps:int} × {${key}alpha:text} µs + {cost.${link}.bytes:kib} / {${key}bandwidth:int} GB/s${key ? " between nodes" : ""}`,
      );
    fill(sum, `${parts.join(" + ")}. Bus bandwidth, as nccl-tests prints it: {bus_gbs:fixed 1} GB/s.`, now);
    fill(
      cross,
      now.nodes > 1
        ? "At this S, {fastest:text} is fastest. A step that uses both kinds of links takes as long as the slower one; {crossing:int} chunks leave a node. There are k = {nodes:int} nodes of l = {per_node:int} ranks."
        : now.crossover
          ? "The ring is faster than the tree for arrays larger than {crossover:kib}."
          : `There is no crossover here: the ${now.times_us.tree >= now.times_us.ring ? "ring" : "tree"} is never slower.`,
      now,
    );
  };
  return { counts: counts.el, same, cost, cross, update };
};
