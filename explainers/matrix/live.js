/* The maps as the browser makes them: it quantizes the whole matrix, in workers where there are any, else a few thousand
   weights at a time, so that the page never waits longer than a frame. What was made of the last matrix is kept: another
   colouring takes only a look at it. */
import { mapped_of, row_of } from "./compute.js";
import { signal_of, store, sums_of } from "./quantize.js";
import { make_matrix } from "./weights.js";

/** @import { Data, State } from "../../.make/data_types/matrix.d.ts" */
/** @import { Source } from "./compute.js" */
/** @import { Own } from "./own.js" */
/** @import { Pool, Task } from "./pool.js" */
/** @import { Sums } from "./quantize.js" */
/** @import { Matrix } from "./weights.js" */

const SLICE = 12; // milliseconds of work between two frames

/** Runs work after what waits already, frames and clicks too: a timer would wait four milliseconds more each time. */
const soon = () => {
  const { port1, port2 } = new MessageChannel();
  let work = () => {};
  port1.onmessage = () => work();
  return (/** @type {() => void} */ next) => {
    work = next;
    port2.postMessage(null);
  };
};

/** The level of a cell of a map. @param {Sums} sums @param {number} i @param {{ shown: string, loud: number }} state @param {number} n numbers in it */
const value_at = (sums, i, { shown, loud }, n) => {
  if (shown === "zeros") return sums.zeros[i] / n;
  if (shown === "scales") return sums.scales[i] / n;
  if (shown === "values") return sums.cell === 1 ? sums.values[i] : Math.sqrt(sums.values[i] / n);
  return Math.sqrt((sums.error[i] + loud * loud * sums.loud[i]) / n);
};

/**
 * Levels of 0 to 255 between the two ends of the colour scale: equal ratios are equal steps, but of shares and of a drawing.
 * @param {Sums} sums @param {{ shown: string, loud: number }} state @param {number[]} ends
 */
export const levels_of = (sums, state, [low, high]) => {
  const even = state.shown === "zeros" || low < 0;
  const width = even ? high - low : Math.log(high / low);
  return Uint8Array.from({ length: sums.rows * sums.columns }, (_, i) => {
    const value = value_at(sums, i, state, sums.cell * sums.cell);
    const share = (even ? value - low : Math.log(Math.max(value, low) / low)) / width;
    return Math.min(255, Math.max(0, Math.floor(256 * share)));
  });
};

/** The key of a map among those of a matrix. @param {Task} task */
const id_of = ({ name, turned }) => `${name} ${turned}`;

/**
 * What was made of the last matrix: its weights, the sums of each map, and what the table's rows are made of.
 * @param {Data} data
 */
const map_store = (data) => {
  /** @type {{ key: string, matrix: Matrix | null, sums: Map<string, Sums>, source: Source }} */
  const kept = { key: "", matrix: null, sums: new Map(), source: {} };
  /** @type {Own | null} */
  let own = null;

  /** @param {State} state */
  const key_of = ({ drawn, seed }) => (own ? `own ${own.name}` : drawn ? "drawing" : String(seed));
  /** What is kept of the matrix of a state; of another one nothing is. @param {State} state */
  const kept_of = (state) => {
    const key = key_of(state);
    if (kept.key !== key) Object.assign(kept, { key, matrix: null, sums: new Map(), source: {} });
    return kept;
  };
  return {
    key_of,
    /** Whether a matrix is the last one. @param {string} key */
    is_last: (key) => key === kept.key,
    /** Whether a map of a state is made. @param {State} state @param {Task} task */
    has: (state, task) => kept_of(state).sums.has(id_of(task)),
    /** @param {State} state @returns {Matrix} */
    matrix: (state) => (kept_of(state).matrix ??= make_matrix({ ...state, own }, data.made)),
    /** Keeps the sums of a map of the last matrix. @param {Task} task @param {Sums} sums */
    keep: ({ name, turned }, sums) => {
      kept.sums.set(id_of({ name, turned }), sums);
      const row = (kept.source[name] ??= [0, 0, 0, 0, 0, 0]);
      row.splice(turned ? 2 : 0, 2, ...sums.total);
      row[turned ? 5 : 4] = sums.total[2];
    },
    /** @param {Own | null} slice */
    take: (slice) => {
      own = slice;
      kept.key = "";
    },
    own: () => own,
    /** The sums of a map, if it is made. @param {State} state @param {string} name @param {boolean} turned */
    sums: (state, name, turned) => (kept.key === key_of(state) ? kept.sums.get(id_of({ name, turned })) : undefined),
    /** The rows of the reader's slice that are known by now. @param {number} loud */
    rows: (loud) => {
      if (own) kept.source.signal ??= signal_of(own);
      return data.schemes
        .filter(({ name }) => [false, true].every((turned) => kept.sums.has(id_of({ name, turned }))))
        .map((scheme) => row_of(scheme, kept.source, loud));
    },
  };
};

/**
 * Runs steps on this thread, between frames, for as long as they are asked for.
 * @param {Generator} steps
 * @param {() => boolean} asked
 */
const run_in_slices = (steps, asked) => {
  const later = soon();
  const run = () => {
    if (!asked()) return;
    const until = performance.now() + SLICE;
    while (performance.now() < until) if (steps.next().done) return;
    later(run);
  };
  run();
};

/**
 * @param {Data} data
 * @param {Pool} [pool] workers, where there are any
 */
export const live_maps = (data, pool = null) => {
  const kept = map_store(data);
  let turn = 0; // which request the work is for
  let helped = pool;

  /** All maps that a state asks for, then, of the reader's slice, every scheme; but what is kept. @param {State} state @returns {Task[]} */
  const wanted = (state) => {
    const mapped = mapped_of(state, data);
    if (helped) mapped.reverse(); // the slowest first: two workers end together
    const both = (/** @type {string} */ name) => [false, true].map((turned) => ({ name, turned }));
    const maps = [false, true].flatMap((turned) => mapped.map((name) => ({ name, turned })));
    const others = kept.own() ? data.schemes.filter(({ name }) => !mapped.includes(name)) : [];
    const more = others.flatMap(({ name }) => both(name));
    return [...maps, ...more].filter((task) => !kept.has(state, task));
  };

  /** @param {State} state @param {() => void} then */
  function* work(state, then) {
    const given = kept.matrix(state);
    for (const { name, turned } of wanted(state)) {
      const scheme = /** @type {Data["schemes"][number]} */ (data.schemes.find((row) => row.name === name));
      const stored = yield* store(given, scheme, data, turned);
      kept.keep({ name, turned }, sums_of(given, stored, turned, data));
      then();
      yield;
    }
  }

  /** The same on this thread. @param {State} state @param {() => void} then */
  const run_here = (state, then) => {
    const mine = turn;
    run_in_slices(work(state, then), () => mine === turn);
  };

  /** Begins to make what a state shows, and calls after each map; what was asked for before is dropped. @param {State} state @param {() => void} then */
  const request = (state, then) => {
    turn += 1;
    if (!helped) return run_here(state, then);
    const { seed, drawn } = state;
    const place = { key: kept.key_of(state), origin: { seed, drawn, own: kept.own() } };
    helped.run(
      wanted(state).map((task) => ({ ...place, ...task })),
      ({ key, sums, ...task }) => {
        if (!kept.is_last(key)) return;
        kept.keep(task, sums);
        then();
      },
      () => {
        helped = null;
        run_here(state, then);
      },
    );
  };

  const stop = () => {
    turn += 1;
    helped?.stop();
  };
  return { ...kept, request, stop };
};
