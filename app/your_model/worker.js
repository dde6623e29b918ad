/* Off the page's thread: Pyodide, and in it this site's own Python. Everything it fetches is from our own host.
   Python does not start here: its memory is set to the image that was taken when everything had been imported.
   In:  { folder, files: {name: bytes}, lock }, then { id, text, title, source, edits, layouts, beside } for each config,
        and again with rest: true for what stands below the drawing, or
        { id, text, title, edits, context, last } for a design, { id, text, title, edits, slug, cuts } to run a small copy,
        { id, look } for a tensor of the one that ran last.
   Out: { loaded, of } while files come, { ready }, { id, answer }, { failed }. */

/** @import { DrawRequest, Image, PackTold, WorkerReply } from "./types.d.ts" */

const IMAGE = "cutaway.bin",
  RUN = "run.bin", // what runs a small copy: fetched when that is asked for
  WASM = "pyodide.asm.wasm",
  NONE = "none.zip"; // the library is in the image
/** @type {((request: DrawRequest) => string | Promise<string>) | null} */
let answer = null;
/** @type {DrawRequest | null} */
let waiting = null;
let turn = Promise.resolve(); // one answer after another

/** @param {WorkerReply} reply */
const say = (reply) => postMessage(reply);

const gunzip = () => new DecompressionStream("gzip");

/** @param {string} address */
async function body(address) {
  const answered = await fetch(address);
  if (!answered.ok || !answered.body) throw new Error(`${address}: ${answered.status}`);
  return answered.body;
}

/**
 * The files as streams that were deflated when the site was built; what has come is told as it comes.
 * @param {string} folder
 * @param {{ [name: string]: number }} files
 */
function fetching(folder, files) {
  const names = [IMAGE, `${WASM}.bin`];
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
  const inflated = async (name) => (await body(folder + name)).pipeThrough(counted()).pipeThrough(gunzip());
  const type = { headers: { "Content-Type": "application/wasm" } };
  return {
    wasm: inflated(`${WASM}.bin`).then((body) => new Response(body, type)),
    image: inflated(IMAGE)
      .then((body) => new Response(body).arrayBuffer())
      .then(opened),
  };
}

/**
 * An image as build/pack.mjs wrote it: the length of an index, the index, and what it lists, one behind another.
 * @param {ArrayBuffer} buffer
 * @returns {Image}
 */
function opened(buffer) {
  let at = 4 + new DataView(buffer).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, at - 4)));
  /** @param {number} size */
  const next = (size) => new Uint8Array(buffer, (at += size) - size, size);
  /** @param {[any, number][]} rows */
  const parts = (rows) => rows.map(([where, size]) => [where, next(size)]);
  return { ...index, head: next(index.head).slice(), runs: parts(index.runs), files: parts(index.files) };
}

/**
 * Pyodide's own module, with the image in its memory: where no run says otherwise, memory is as WebAssembly sets it up.
 * @param {(settings: any) => Promise<any>} create
 * @param {Image} image
 */
const restoring =
  (create, { size, fresh, runs }) =>
  /** @param {any} settings Emscripten's */
  async (settings) => {
    const instantiate = settings.instantiateWasm;
    let first = new Uint8Array();
    settings.instantiateWasm = (/** @type {any} */ imports, /** @type {any} */ done) =>
      instantiate(imports, (/** @type {any} */ instance, /** @type {any} */ module) => {
        first = new Uint8Array(instance.exports.memory.buffer.slice(0, fresh));
        done(instance, module);
      });
    const made = await create(settings);
    made.growMemory(size);
    made.HEAPU8.fill(0);
    made.HEAPU8.set(first);
    for (const [at, bytes] of runs) made.HEAPU8.set(bytes, at);
    return made;
  };

/**
 * @param {any} FS Emscripten's
 * @param {string} root
 * @param {[string, Uint8Array][]} files
 */
function unpack(FS, root, files) {
  for (const [name, bytes] of files) {
    const path = `${root}/${name}`;
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    FS.writeFile(path, bytes, { canOwn: true });
  }
}

/** @param {PackTold} told */
async function begin({ folder, files, lock }) {
  const coming = fetching(folder, files);
  const scripts = Promise.all(["pyodide.mjs", "pyodide.asm.mjs"].map((name) => import(folder + name)));
  const fetched = globalThis.fetch;
  // Pyodide asks for two files by their names; they are on their way already, or not needed.
  globalThis.fetch = async (asked, options) => {
    const name = String(asked);
    if (name.endsWith(NONE)) return new Response("");
    return name.endsWith(WASM) ? coming.wasm : fetched(asked, options);
  };
  const [[{ loadPyodide }, { default: create }], image] = await Promise.all([scripts, coming.image]);
  let root = "";
  const python = await loadPyodide({
    indexURL: folder,
    stdLibURL: folder + NONE,
    lockFileContents: lock,
    packageBaseUrl: folder,
    fsInit: async (/** @type {any} */ FS, /** @type {{ sitePackages: string }} */ { sitePackages }) => {
      root = sitePackages;
      unpack(FS, root, image.files);
    },
    createPyodideModule: restoring(create, image),
    _loadSnapshot: image.head,
  });
  globalThis.fetch = fetched;
  const [module, designs] = ["your_model", "design"].map((name) => python.pyimport(`cutaway.app.${name}.answer`));
  const running = runner(python, folder, root);
  answer = (request) => {
    const { text, title, source, edits, layouts, beside, context, last, cuts, look, rest } = request;
    if (cuts !== undefined || look !== undefined) return running(request);
    if (context !== undefined) return designs.design(text, title, edits, context, last ?? "");
    if (beside !== undefined) return module.compare(text, title, edits, beside);
    return (rest ? module.rest : module.answer)(text, title, source, edits, layouts ?? "");
  };
  say({ ready: true });
}

/**
 * What answers of a small copy; its modules come with the first request, and are tried again where they did not.
 * @param {any} python
 * @param {string} folder
 * @param {string} root where its modules lie
 * @returns {(request: DrawRequest) => Promise<string>}
 */
function runner(python, folder, root) {
  /** @type {any} */
  let module = null;
  const load = async () => {
    const image = opened(await new Response((await body(folder + RUN)).pipeThrough(gunzip())).arrayBuffer());
    unpack(python.FS, root, image.files);
    python.runPython("import sys; sys.path_importer_cache.clear()"); // what was read of folders before
    return python.pyimport("cutaway.app.your_model.small_run");
  };
  return async ({ text, title, edits, slug, cuts, look }) => {
    try {
      module ??= await load();
    } catch (error) {
      console.error(String(error));
      return JSON.stringify({
        refused: "The code that runs a small copy could not be loaded. Check your network connection and try again.",
      });
    }
    return look === undefined ? module.run(text, title, edits, slug ?? "", cuts) : module.tensor(look);
  };
}

/** @param {DrawRequest} request */
function draw(request) {
  const asked = answer;
  waiting = asked ? null : request;
  if (asked) turn = turn.then(async () => say({ id: request.id, answer: await asked(request) }));
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
