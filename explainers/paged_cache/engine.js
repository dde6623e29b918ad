/* Requests and settings -> every step of an engine that serves them, as vLLM V1's scheduler does: engine.py. */
import { Pool } from "./pool.js";

/** @import { Data, State } from "../../.make/data_types/paged-cache.d.ts" */

const NONE = -1;

export class Request {
  /** @param {number} number @param {number[]} row @param {Request | null} parent @param {number} system */
  constructor(number, [arrival, own, answer], parent, system) {
    this.number = number;
    /** @type {number} */
    this.answer = answer;
    this.parent = parent;
    this.gap = arrival;
    /** Tokens that an earlier request has, too. @type {number} */
    this.shared = parent ? parent.whole() : system;
    /** @type {number} */
    this.prompt = this.shared + own;
    this.arrival = parent ? NONE : arrival;
    this.computed = 0;
    this.made = 0;
    this.furthest = 0;
    this.stored = 0;
    this.hits = 0;
    /** @type {number[]} */
    this.table = [];
    this.lane = "";
    this.first = 0;
    this.done = 0;
  }
  /** Prompt and answer. @returns {number} */
  whole() {
    return this.prompt + this.answer;
  }
  /** Tokens so far. */
  text() {
    return this.prompt + this.made;
  }
  /** The request whose text the token at a place belongs to. @param {number} at @returns {number} */
  owner(at) {
    if (at >= this.shared) return this.number;
    return this.parent ? this.parent.owner(at) : 0;
  }
}

export class Engine {
  /** @param {number[][]} rows @param {State} given @param {number} blocks @param {number} limit */
  constructor(rows, given, blocks, limit) {
    this.given = given;
    this.limit = limit;
    this.size = given.block_size;
    this.pool = new Pool(blocks);
    /** @type {Request[]} */
    this.all = [];
    for (const [number, row] of rows.entries())
      this.all.push(new Request(number, row, row[3] === NONE ? null : this.all[row[3]], given.system));
    /** @type {Request[]} */
    this.waiting = [];
    /** @type {Request[]} */
    this.running = [];
    this.now = 0;
    this.preemptions = 0;
    this.repeated = 0;
    this.tokens = 0;
    /** What each request does in this step. @type {Map<number, string>} */
    this.marks = new Map();
    this.paged = given.allocation === "paged";
    this.caching = given.prefix_caching && this.paged;
  }
  over() {
    return this.all.every((one) => one.done);
  }
  /** @param {number} tokens */
  blocks_for(tokens) {
    return Math.ceil(tokens / this.size);
  }
  /** One step up to where blocks are still held; the requests that it finishes. */
  step() {
    this.now += 1;
    this.marks = new Map();
    this.waiting.push(...this.all.filter((one) => one.arrival === this.now - 1));
    this.tokens = this.given.max_num_batched_tokens;
    const idle = !this.running.length;
    const moved = this.moved();
    const preempted = this.run_running() || moved;
    if (!preempted && (idle || this.given.batching !== "static")) this.admit();
    return this.sample();
  }
  /** The reader's moves: a waiting request to the head of its queue, a running one back to it. */
  moved() {
    let preempted = false;
    const moves = /** @type {number[]} */ (this.given.moves);
    for (let i = 0; i < moves.length; i += 2) {
      const one = this.all[moves[i + 1]];
      if (moves[i] !== this.now || !one) continue;
      if (this.waiting.includes(one)) this.waiting = [one, ...this.waiting.filter((other) => other !== one)];
      else if (this.running.includes(one)) {
        this.running = this.running.filter((other) => other !== one);
        this.preempt(one);
        preempted = true;
      }
    }
    return preempted;
  }
  /** Takes a request's blocks and puts it at the head of the waiting queue; its text it keeps. @param {Request} one */
  preempt(one) {
    this.pool.release(one.table);
    one.table = [];
    one.computed = 0;
    one.stored = 0;
    this.waiting.unshift(one);
    this.preemptions += 1;
    this.marks.set(one.number, "x");
  }
  /** Running requests in order of admission, each as many tokens as it lacks; whether one was preempted. */
  run_running() {
    let preempted = false;
    for (let i = 0; i < this.running.length && this.tokens > 0; i += 1) {
      const one = this.running[i];
      const fresh = Math.min(one.text() - one.computed, this.tokens);
      const need = this.blocks_for(one.computed + fresh) - one.table.length;
      while (need > this.pool.free.length) {
        const last = /** @type {Request} */ (this.running.pop());
        this.preempt(last);
        preempted = true;
        if (last === one) return true;
      }
      this.schedule(one, fresh, need);
    }
    return preempted;
  }
  /** Gives a request blocks and tokens of this step. @param {Request} one @param {number} fresh @param {number} need */
  schedule(one, fresh, need) {
    if (need > 0) one.table.push(...this.pool.take(need));
    const again = Math.max(0, Math.min(one.furthest, one.computed + fresh) - one.computed);
    this.marks.set(one.number, again ? "r" : one.computed < one.prompt ? "p" : "d");
    this.repeated += again;
    one.computed += fresh;
    one.furthest = Math.max(one.furthest, one.computed);
    this.tokens -= fresh;
    if (!this.caching) return;
    const full = Math.floor(one.computed / this.size);
    for (let place = one.stored; place < full; place += 1) this.pool.store(one.table[place], this.key(one, place));
    one.stored = Math.max(one.stored, full);
  }
  /** @param {Request} one @param {number} place */
  key(one, place) {
    return `${one.owner((place + 1) * this.size - 1)}/${place}`;
  }
  /** The cached blocks that a request begins with; never its last token. @param {Request} one */
  found(one) {
    /** @type {number[]} */
    const blocks = [];
    while (this.caching && (blocks.length + 1) * this.size <= one.text() - 1) {
      const block = this.pool.find(this.key(one, blocks.length));
      if (block === undefined) break;
      blocks.push(block);
    }
    return blocks;
  }
  /** Waiting requests in order, until one does not fit: into the batch, the token budget or the blocks. */
  admit() {
    while (this.waiting.length && this.tokens > 0 && this.running.length < this.given.max_num_seqs) {
      const one = this.waiting[0];
      const hits = this.found(one);
      const lacks = one.text() - hits.length * this.size;
      if (lacks > this.tokens && this.given.batching === "whole") return;
      if (!(this.paged ? this.room_paged(one, hits) : this.room_reserved(one))) return;
      this.waiting.shift();
      this.running.push(one);
      const fresh = Math.min(lacks, this.tokens);
      this.schedule(one, fresh, this.blocks_for(one.computed + fresh) - one.table.length);
    }
  }
  /** Whether all its text fits into free blocks; then it holds those it has found. @param {Request} one @param {number[]} hits */
  room_paged(one, hits) {
    const idle = hits.filter((block) => !this.pool.refs[block]).length;
    if (this.blocks_for(one.text()) - hits.length + idle > this.pool.free.length) return false;
    this.pool.touch(hits);
    one.table = hits;
    one.stored = hits.length;
    one.computed = hits.length * this.size;
    one.hits += one.computed;
    return true;
  }
  /** Whether there is a contiguous range for all that it may need; then it is reserved. @param {Request} one */
  room_reserved(one) {
    const most = this.given.allocation === "max" ? this.limit : one.prompt + one.answer;
    one.table = this.pool.run_of(this.blocks_for(most));
    this.pool.reserve(one.table);
    return one.table.length > 0;
  }
  /** Who has computed all its text gets its next token; the requests whose answer that ends. */
  sample() {
    const ended = [];
    for (const one of this.running) {
      if (!this.marks.has(one.number) || one.computed !== one.text()) continue;
      one.made += 1;
      one.first = one.first || this.now;
      if (one.made === one.answer) ended.push(one);
    }
    return ended;
  }
  /** Ends the step: notes what each request did, and frees the blocks of those that are answered. @param {Request[]} ended */
  finish(ended) {
    for (const one of this.all) {
      if (one.done) continue;
      const seen = this.running.includes(one) ? "s" : this.waiting.includes(one) ? "w" : " ";
      one.lane += this.marks.get(one.number) ?? seen;
    }
    for (const one of ended) {
      this.running = this.running.filter((other) => other !== one);
      this.pool.release(one.table);
      one.table = [];
      one.done = this.now;
      for (const other of this.all) if (other.parent === one) other.arrival = this.now + other.gap;
    }
  }
}
