/* A pool of KV cache blocks -> who holds which, which free ones still answer for a prefix, and which goes next: pool.py. */

export class Pool {
  /** @param {number} count */
  constructor(count) {
    /** @type {number[]} */
    this.refs = Array(count).fill(0);
    /** What a full block holds: "owner/place", or "" @type {string[]} */
    this.keys = Array(count).fill("");
    /** The next to be taken comes first. @type {number[]} */
    this.free = Array.from({ length: count }, (_, i) => i);
    /** @type {Map<string, number[]>} */
    this.cached = new Map();
    this.evictions = 0;
  }
  /** So many blocks from the head of the free queue; a cached one loses its key. @param {number} count */
  take(count) {
    const taken = this.free.splice(0, count);
    for (const block of taken) {
      this.refs[block] = 1;
      this.forget(block);
    }
    return taken;
  }
  /** @param {number} block */
  forget(block) {
    const key = this.keys[block];
    if (!key) return;
    const left = /** @type {number[]} */ (this.cached.get(key)).filter((one) => one !== block);
    if (left.length) this.cached.set(key, left);
    else this.cached.delete(key);
    this.keys[block] = "";
    this.evictions += 1;
  }
  /** The block that holds this text, in use or free. @param {string} key */
  find(key) {
    return this.cached.get(key)?.[0];
  }
  /** One more request reads these blocks; a free one leaves the queue. @param {number[]} blocks */
  touch(blocks) {
    for (const block of blocks) {
      if (!this.refs[block]) this.free.splice(this.free.indexOf(block), 1);
      this.refs[block] += 1;
    }
  }
  /** @param {number} block @param {string} key */
  store(block, key) {
    this.keys[block] = key;
    this.cached.set(key, [...(this.cached.get(key) ?? []), block]);
  }
  /** Gives a table back, its last block first. @param {number[]} table */
  release(table) {
    for (const block of [...table].reverse()) {
      this.refs[block] -= 1;
      if (!this.refs[block]) this.free.push(block);
    }
  }
  /** The first blocks that lie side by side and are free, or none. @param {number} count */
  run_of(count) {
    let found = 0;
    for (const [block, refs] of this.refs.entries()) {
      found = refs ? 0 : found + 1;
      if (found === count) return Array.from({ length: count }, (_, i) => block - count + 1 + i);
    }
    return [];
  }
  /** @param {number[]} run */
  reserve(run) {
    for (const block of run) {
      this.free.splice(this.free.indexOf(block), 1);
      this.refs[block] = 1;
    }
  }
}
