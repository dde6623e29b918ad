/* Off the page's thread: Pyodide, and in it this site's own Python. Everything it fetches is from our own host.
   In:  { folder, files: {name: bytes}, lock }, then { id, text, title, source, edits } for each config.
   Out: { loaded, of } while files come, { step } as Python starts, { ready }, { id, answer }, { failed }. */

/** @import { DrawRequest, PackTold, WorkerReply } from "./types.d.ts" */

const LIBRARY = "library.bin",
  OURS = "cutaway.bin",
  WASM = "pyodide.asm.wasm";
/** @type {((request: DrawRequest) => string) | null} */
let answer = null;
/** @type {DrawRequest | null} */
let waiting = null;

/** @param {WorkerReply} reply */
const say = (reply) => postMessage(reply);

/**
 * The files as streams that were deflated when the site was built; what has come is told as it comes.
 * @param {string} folder
 * @param {{ [name: string]: number }} files
 */
function fetching(folder, files) {
  const names = [LIBRARY, OURS, `${WASM}.bin`];
  const of = names.reduce((sum, name) => sum + files[name], 0);
  let loaded = 0;
  const counted = () =>
    new TransformStream({
      transform(chunk, controller) {
        loaded += chunk.length;
        say({ loaded, of });
        controller.enqueue(chunk);
      },
    });
  /** @param {string} name */
  const inflated = async (name) => {
    const answered = await fetch(folder + name);
    if (!answered.ok || !answered.body) throw new Error(`${name}: ${answered.status}`);
    return answered.body.pipeThrough(counted()).pipeThrough(new DecompressionStream("gzip"));
  };
  /** @param {string} name */
  const bytes = async (name) => new Uint8Array(await new Response(await inflated(name)).arrayBuffer());
  const type = { headers: { "Content-Type": "application/wasm" } };
  return {
    library: bytes(LIBRARY),
    ours: bytes(OURS),
    wasm: inflated(`${WASM}.bin`).then((body) => new Response(body, type)),
  };
}

/**
 * Write the files of a pack: the length of an index, the index, the files one behind another.
 * @param {any} FS Emscripten's
 * @param {string} root
 * @param {Uint8Array} pack
 */
function unpack(FS, root, pack) {
  const length = new DataView(pack.buffer).getUint32(0, true);
  const made = new Set();
  let at = 4 + length;
  for (const [name, size] of JSON.parse(new TextDecoder().decode(pack.subarray(4, at)))) {
    const path = `${root}/${name}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(folder)) FS.mkdirTree(folder);
    made.add(folder);
    FS.writeFile(path, pack.subarray(at, (at += size)), { canOwn: true });
  }
}

/** @param {PackTold} told */
async function begin({ folder, files, lock }) {
  const { library, ours, wasm } = fetching(folder, files);
  const stdlib = `${folder}${LIBRARY}`;
  const fetched = globalThis.fetch;
  // Pyodide asks for two files by their names; they are on their way already, or not at all.
  globalThis.fetch = async (asked, options) => {
    const name = String(asked);
    if (name === stdlib) return new Response(/** @type {BufferSource} */ (await library));
    return name.endsWith(WASM) ? wasm : fetched(asked, options);
  };
  const { loadPyodide } = await import(`${folder}pyodide.mjs`);
  const python = await loadPyodide({
    indexURL: folder,
    stdLibURL: stdlib,
    lockFileContents: lock,
    packageBaseUrl: folder,
    fsInit: async (/** @type {any} */ FS, /** @type {{ sitePackages: string }} */ { sitePackages }) =>
      unpack(FS, sitePackages, await ours),
  });
  globalThis.fetch = fetched;
  say({ step: "Cutaway" });
  const module = python.pyimport("cutaway.app.your_model.answer");
  module.begin();
  answer = ({ text, title, source, edits }) => module.answer(text, title, source, edits);
  say({ ready: true });
}

/** @param {DrawRequest} request */
function draw(request) {
  waiting = answer ? null : request;
  if (answer) say({ id: request.id, answer: answer(request) });
}

addEventListener("message", async ({ data }) => {
  if (data.id) return draw(data);
  try {
    await begin(data);
  } catch (error) {
    return say({ failed: String(error) });
  }
  if (waiting) draw(waiting);
});
