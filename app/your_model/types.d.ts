/* What the page /your-model/, its worker and its service worker hand each other. */

import type { ComparedModel, CountedPair } from "../site/types.d.ts";

/** What the worker starts from: where its files are, how large, and what Pyodide wants to know of itself. */
export interface PackTold {
  folder: string;
  files: { [name: string]: number };
  lock: object;
}

/** Python's memory as it was when the site was built, and the files that it still reads (build/pack.mjs). */
export interface Image {
  size: number; // bytes of memory
  fresh: number; // so many at its beginning are as WebAssembly sets them up, but for the runs
  head: Uint8Array; // what Pyodide calls a snapshot, without its memory
  runs: [number, Uint8Array][]; // [address, bytes]
  files: [string, Uint8Array][];
}

export interface DrawRequest {
  id: number;
  text: string; // the config
  title: string;
  source?: string; // a sentence
  edits: string; // heads:64,layers:40
  layouts?: string; // of the drawing, those that the window shows: the others come with the rest; "" for all
  beside?: string; // the catalogued model that it is to be compared with, "" for the closest; without it, it is drawn
  rest?: boolean; // what stands below the drawing of the same config
  context?: number; // of a design, in tokens
  last?: string; // the edits of the design before
  slug?: string; // the catalogued model in place of a config, where a small copy is to run
  cuts?: string; // of a small copy that is to run: [[layer or null, node, source]], as JSON
  look?: string; // the value of the last run that is asked for: "layer3:mixer.q_proj"
}

/** What app/your_model/small_run.py says of a run. */
export interface SmallRun {
  refused?: string;
  proved: boolean;
  proof: string;
  layers: number[];
  of_layers: number;
  width: number;
  of_width: number;
  weights: number;
  tokens: number[];
  values: { [where: string]: { [name: string]: 0 | 1 } }; // 1: a wire that carries it can be cut
  norms: { [where: string]: string[] };
  inputs: { [part: string]: string }; // "layer3.mixer" -> the value that its x is
  best: [token: number, before: number, after: number][];
  kl: number; // nats
  gap: number; // the largest difference of a logit
}

/** A value of it, in numbers for a picture. */
export interface TensorSight {
  shape: number[];
  least: number;
  most: number;
  rms: number;
  rows: (number | null)[][];
}
export interface Tensors {
  refused?: string;
  now?: TensorSight | null;
  was?: TensorSight | null; // before the cuts
}
export type CutWire = [layer: number | null, node: string, source?: string];
export interface SmallRunner {
  run(cuts: CutWire[]): Promise<SmallRun>;
  look(name: string): Promise<Tensors>;
}

export interface WorkerReply {
  loaded?: number; // bytes
  of?: number;
  ready?: boolean;
  id?: number;
  answer?: string; // a Drawn, as JSON
  failed?: string;
}

/** What app/your_model/answer.py says of a config: what is seen first. */
export interface Drawn {
  title: string;
  html: { result: string };
  refused?: string;
}
/** And what stands below it: tables, the planner's address and the sheet that it takes from this browser. */
export interface Rest {
  html: { more: string; href: string; plan: string; figure?: string; lit?: string }; // the layouts not seen first
  refused?: string;
}

/** What app/design/answer.py says of a config and edits. */
export interface Designed {
  title: string;
  edits: string; // those that hold
  changes: number;
  config: string; // as it is downloaded
  html: { editor: string; drawing: string; after: string; key: string };
  wrong: string[];
  refused?: string;
}

/** What it says of a config beside a catalogued model. */
export interface ComparedPair {
  files: [ComparedModel, ComparedModel]; // the catalogued one, the reader's
  pair: CountedPair;
  refused?: string;
}

/** A config that was drawn: kept on the device. */
export interface Recent {
  title: string;
  text: string;
  source: string;
  id: string; // of the Hub, or ""
  slug?: string; // of the packed model that it is
}
