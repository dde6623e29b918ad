/* Twin of beats.py: what the beats ask, say and draw. */
import { h, setAttrs } from "../kit/dom.js";
import { fmt } from "../kit/numbers.js";
import { makeTransport } from "../kit/time.js";
import { compute, kept_of, MANY, row_of } from "./compute.js";
import { every_view } from "./lab.js";
import {
  chart_view,
  gates_view,
  heads_view,
  heat_view,
  ink_view,
  own_writes,
  says_view,
  state_view,
  tiles_view,
} from "./view.js";

const WAITING = "The weights are on their way.";
const OPTIONS = [12, 8, 2, 30];
const [FAR_BACK, SHORT] = [60, 6];
const crowded = (name) => (state, data) => row_of(name, data).right.crowded;
const old = (name) => (state, data) => row_of(name, data).right.long_old;
const looks_at = (which) => (state, data) => {
  const now = compute(state, data);
  const at = own_writes(now).at(which);
  return now.live && at !== undefined
    ? now.live.looks.reduce((sum, row) => sum + row[at], 0) / now.live.looks.length
    : 0;
};
export const answers = {
  held: (state, data) => OPTIONS.indexOf(Number(compute(state, data).here.truth)),
  cliff: (state, data) => row_of("window", data).said[8], // 26 tokens back
  overwritten: (state, data) => row_of("linear", data).right.again,
  equal_after: (state, data) => Math.ceil(row_of("delta", data).keeps.fixed / row_of("full", data).keeps.row),
  lit: (state, data) => {
    const [first, last] = [0, -1].map((which) => looks_at(which)(state, data) >= 0.2);
    return first && last ? 2 : last ? 1 : 0;
  },
  crowded_full: crowded("full8"),
  crowded_delta: crowded("delta8"),
  first_look: looks_at(0),
  last_look: looks_at(-1),
  old_delta: old("delta-x"),
  old_gated: old("gated-x"),
  again_delta: (state, data) => row_of("delta", data).right.again,
};
export const captions = {
  shares: (state, data) => {
    const now = compute(state, data);
    if (!now.live) return WAITING;
    const [first, last] = [0, -1].map((which) => fmt.percent(looks_at(which)(state, data), 0));
    const {
      here: { key },
      stream: { units },
    } = now;
    const said = `On average a head gives ${first} to the first write of ${key}, **${last}** to the last.`;
    let best = { share: 0 };
    now.live.looks.forEach((row, h) =>
      row.forEach((share, i) => {
        if (units[i].key !== key && share > best.share) best = { share, h, i };
      }),
    );
    if (0.2 > best.share) return said;
    const one = units[best.i];
    return `${said} Head ${best.h} gives ${fmt.percent(best.share, 0)} to ${one.word} ${one.key} ${one.value}, which nobody asked about.`;
  },
  long: (state, data) => {
    const { title, resets, right } = row_of(state.m, data);
    if (!resets) return `**${title}** was trained without resets.`;
    const [all, far] = ["all", "old"].map((key) => fmt.percent(right[`long_${key}`], 1));
    return `Over streams four times as long as those of its training **${title}** is right ${all} of the time; where a key was mentioned long ago, ${far}.`;
  },
  sizes: (state, data) => {
    const [one, full] = [row_of(state.m, data), row_of("full", data)];
    const [mine, other] = [one, full].map((row) => fmt.bytes(kept_of(row, MANY).bytes));
    return `After ${fmt.int(MANY)} tokens **${one.title}** keeps ${mine}, full attention ${other}. Not counted: what convolutions keep, here ${one.keeps.conv} numbers.`;
  },
};

const no = (says) => ({ reached: false, says });
const capital = (text) => text[0].toUpperCase() + text.slice(1);
export const goals = {
  far_right: (state, data) => {
    if (state.m !== "window") return no("Choose the window of 24.");
    const { here, live } = compute(state, data);
    if (!here.reads) return no("Put the cursor on a read.");
    const where = `${here.key} was written ${here.written} tokens back and last said ${here.said} back`;
    if (FAR_BACK >= here.written) return no(`${capital(where)}: not far enough.`);
    if (!live) return no(WAITING);
    if (!live.here) return no(`${capital(where)}: the window says ${live.answers[state.u]}.`);
    return { reached: true, says: `Reached: ${where}. A read in between said it again.` };
  },
  old_value: (state, data) => {
    if (!["linear", "delta"].includes(state.m)) return no("Choose linear or delta.");
    const units = state.x.split(".").length;
    if (units > SHORT) return no(`${units} units are too many.`);
    const [adding, delta] = ["linear", "delta"].map((m) => compute({ ...state, m }, data));
    const { here } = adding;
    if (!here.reads) return no("Put the cursor on a read.");
    if (!adding.live || !delta.live) return no(WAITING);
    const both = [adding, delta].map((now) => now.live.answers[state.u]);
    const said = `linear says ${both[0]}, delta ${both[1]}, right is ${here.truth}`;
    if (adding.live.here || !delta.live.here) return no(`${capital(said)}.`);
    return { reached: true, says: `Reached: ${said}.` };
  },
};

const open = (bet) => bet === "open" || bet === "placed";
/* The units pass one by one and turn face down; with reduced motion, a step each. */
export const cardsFigure = (el) => {
  const tiles = tiles_view();
  let [now, hide, u] = [null, true, 0];
  const draw = (t) => {
    if (now) tiles.update(now, { u, hide, ask: true, only: u > Math.floor(t) ? Math.floor(t) : -1 });
  };
  const time = makeTransport({
    label: "the units that pass",
    length: 13,
    rate: 1,
    print: (node, t) => setAttrs(node, { text: `unit ${Math.floor(t) + 1}`, "data-index": true }),
    format: (t) => `unit ${Math.floor(t) + 1}`,
    onFrame: draw,
  });
  el.append(tiles.el, time.el);
  return {
    update: (state, made, { bet }) => {
      [now, hide, u] = [made, open(bet), state.u];
      time.el.hidden = !hide;
      if (!time.playing()) tiles.update(now, { u, hide, ask: hide, only: -1 });
    },
  };
};
export const looksFigure = (el) => {
  const [tiles, heads] = [tiles_view(), heads_view()];
  el.append(tiles.el, heads.el);
  return {
    update: (state, now, { bet }) => {
      tiles.update(now, { u: state.u, ask: true });
      heads.el.hidden = open(bet) || !now.live || !own_writes(now).length;
      if (!heads.el.hidden) heads.update(now);
      else heads.el.querySelector("tbody").replaceChildren();
    },
  };
};
export const chartFigure = (el, { data }) => {
  const view = chart_view(data);
  el.append(...view.el);
  return { update: (state, now, { bet }) => view.update(state, open(bet)) };
};
export const tableFigure = (el) => {
  const [tiles, held, says] = [tiles_view(), state_view(), says_view()];
  el.append(tiles.el, h("div", { class: "cw-decoder-table" }, held.el, says.el));
  return {
    update: (state, now, { bet }) => {
      tiles.update(now, { u: state.u, ask: true });
      if (now.live?.state) held.update(now, state.h);
      if (open(bet) || !now.live) says.el.replaceChildren();
      else says.update(now);
    },
  };
};
export const priceFigure = (el) => {
  const [ink, every] = [ink_view(), every_view("bytes", "bytes")];
  el.append(ink.el, every.el);
  return {
    update: (state, now, { bet }) => {
      ink.update(now, open(bet));
      if (open(bet)) every.el.replaceChildren();
      else every.update(now);
    },
  };
};
export const crowdFigure = (el, { data }) => {
  const heat = heat_view(data);
  el.append(heat.el);
  return { update: (state, now, { bet }) => heat.update(now, open(bet)) };
};

export const gatesFigure = (el) => {
  const [tiles, gates] = [tiles_view(), gates_view()];
  el.append(tiles.el, gates.el);
  return {
    update: (state, now, { bet }) => {
      tiles.update(now, { u: state.u, ask: true });
      gates.el.hidden = open(bet);
      if (!open(bet)) gates.update(now);
      else gates.el.querySelector("tbody").replaceChildren();
    },
  };
};
