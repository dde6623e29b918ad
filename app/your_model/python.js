/* The worker as the page sees it: started when a reader turns to a way of giving a config, ended when one takes too
   long. */

/** @import { ComparedPair, Designed, Drawn, DrawRequest, PackTold, Rest, SmallRun, Tensors, WorkerReply } from "./types.d.ts" */

/** Why there is no drawing, in a sentence for the reader. */
export class Stopped extends Error {}
const LOST =
  "Python could not be loaded. It comes from this site once, and is then kept: connect to the network and try again.";

/**
 * Why a config that takes too long is stopped.
 * @param {number} seconds
 */
const late = (seconds) =>
  `This config takes more than ${seconds} seconds to read and draw, so it was stopped. Look for a count that is far too large, or draw it on your own machine with \`cutaway draw\`, which sets no limit.`;

/**
 * What Python can be asked, and what the page says while it works.
 * @param {(request: Omit<DrawRequest, "id">, doing: string) => Promise<any>} ask
 */
const requests = (ask) => ({
  /** @type {(request: Omit<DrawRequest, "id">) => Promise<Drawn>} */
  draw: (request) => ask(request, "Drawing …"),
  /** @type {(request: Omit<DrawRequest, "id">) => Promise<Rest>} */
  rest: (request) => ask({ ...request, rest: true }, "Counting …"),
  /** @type {(request: Omit<DrawRequest, "id">) => Promise<ComparedPair>} */
  compare: (request) => ask(request, "Comparing …"),
  /** @type {(request: Omit<DrawRequest, "id">) => Promise<Designed>} */
  design: (request) => ask(request, "Drawing …"),
  /** @type {(request: Omit<DrawRequest, "id">) => Promise<SmallRun>} */
  run: (request) => ask(request, "Running a small copy …"),
  /** @type {(name: string) => Promise<Tensors>} */
  look: (name) => ask({ text: "", title: "", edits: "", look: name }, ""),
});

/**
 * @param {{ worker: string, seconds: number, told: PackTold, say: (words: string, loaded?: number, of?: number) => void }} given
 */
export function python({ worker, seconds, told, say }) {
  /** @type {Worker | null} */
  let running = null;
  let ready = false,
    turn = 0,
    timer = 0;
  /** @type {{ id: number, resolve: (answer: any) => void, reject: (why: Error) => void } | null} */
  let wanted = null;

  /** @param {string} why */
  function end(why) {
    clearTimeout(timer);
    running?.terminate();
    [running, ready] = [null, false];
    wanted?.reject(new Stopped(why));
    wanted = null;
  }
  const limit = () => {
    clearTimeout(timer);
    if (ready && wanted) timer = setTimeout(() => end(late(seconds)), seconds * 1000);
  };
  /** @param {WorkerReply} reply */
  function heard(reply) {
    if (reply.failed) {
      console.error(reply.failed);
      return end(LOST);
    }
    if (reply.of && wanted)
      say(reply.loaded === reply.of ? "Starting Python …" : "Loading Python …", reply.loaded, reply.of);
    if (reply.ready) {
      ready = true;
      if (wanted) say("Drawing …");
      limit();
    }
    if (reply.answer && reply.id === wanted?.id) {
      clearTimeout(timer);
      wanted?.resolve(JSON.parse(reply.answer));
      wanted = null;
    }
  }
  function start() {
    const made = new Worker(worker, { type: "module" });
    made.addEventListener("message", ({ data }) => made === running && heard(data));
    made.addEventListener("error", (event) => {
      event.preventDefault();
      if (made === running) end(LOST);
    });
    made.postMessage(told);
    return made;
  }
  /**
   * What Python says of a config; who asked before is told that something else is wanted.
   * @param {Omit<DrawRequest, "id">} request
   * @param {string} doing
   */
  function ask(request, doing) {
    if (wanted && ready) end("");
    else wanted?.reject(new Stopped("")); // Python still loads: it will answer the newer one
    running ??= start();
    say(ready ? doing : "Loading Python …");
    const made = { id: ++turn, ...request };
    running.postMessage(made);
    return new Promise((resolve, reject) => {
      wanted = { id: made.id, resolve, reject };
      limit();
    });
  }
  return {
    /** Load Python for a config that is about to come; nothing is said of it until one is there. */
    prepare: () => {
      running ??= start();
    },
    ...requests(ask),
    ready: () => ready,
    cancel: () => end(""),
  };
}
