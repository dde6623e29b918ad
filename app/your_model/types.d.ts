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
  source: string; // a sentence
  edits: string; // heads:64,layers:40
  beside?: string; // the catalogued model that it is to be compared with, "" for the closest; without it, it is drawn
}

export interface WorkerReply {
  loaded?: number; // bytes
  of?: number;
  ready?: boolean;
  id?: number;
  answer?: string; // a Drawn, as JSON
  failed?: string;
}

/** What app/your_model/answer.py says of a config. */
export interface Drawn {
  title: string;
  html: { result: string; more: string };
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
}
