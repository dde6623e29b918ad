/* Python with everything imported -> an image of its memory, from which a browser continues in place of starting anew.
   The image is { size, fresh, head, runs: [[at, bytes]], files: [[path, bytes]] } and their bytes: what differs from the
   memory as WebAssembly sets it up, and the files that are still read afterwards. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const BLOCK = 256; // bytes: a run of equal ones this long is left out
const PREPARE = `
import contextlib, gc, importlib, sys
from cutaway.app.your_model import answer

answer.begin()
for name in modules:
    with contextlib.suppress(ImportError):  # one that needs a server's library: it stays a file
        importlib.import_module(name)
for text in warm:
    answer.answer(text, "Example", "")
    answer.compare(text, "Example")
sys.path.remove(library)  # what of it was not imported lies beside our own
sys.path_importer_cache.pop(library)
there = "\\n".join(sys.modules)
del answer, contextlib, importlib, library, modules, name, text, warm
gc.collect()
`;

/**
 * Python's memory with everything imported, as WebAssembly had set it up before (`fresh`), what Pyodide calls a snapshot
 * without its memory (`head`), and the names of the modules that are in it (`there`).
 * @param {string} pyodide its folder
 * @param {{ library: string, modules: string[], warm: string[], unpack: (FS: any, root: string) => void }} given
 * @returns {Promise<{ fresh: Uint8Array, memory: Uint8Array, head: Uint8Array, there: Set<string> }>}
 */
export async function started(pyodide, { library, modules, warm, unpack }) {
  const [{ loadPyodide }, { default: create }] = await Promise.all(
    ["pyodide.mjs", "pyodide.asm.mjs"].map((name) => import(pathToFileURL(join(pyodide, name)).href)),
  );
  let fresh = new Uint8Array();
  const python = await loadPyodide({
    indexURL: pyodide,
    stdLibURL: library,
    env: { PYTHONHASHSEED: "0" }, // strings hash alike in every build
    _makeSnapshot: true,
    fsInit: async (FS, { sitePackages }) => unpack(FS, sitePackages),
    createPyodideModule: (settings) => {
      const instantiate = settings.instantiateWasm;
      settings.instantiateWasm = (imports, done) =>
        instantiate(imports, (instance, module) => {
          fresh = new Uint8Array(instance.exports.memory.buffer.slice(0));
          done(instance, module);
        });
      return create(settings);
    },
  });
  const given = { modules: modules.join(" "), warm: JSON.stringify(warm), library: "/lib/python314.zip" };
  for (const [name, value] of Object.entries(given)) python.globals.set(name, value);
  python.runPython(`import json\nmodules, warm = modules.split(), json.loads(warm)\ndel json\n${PREPARE}`);
  const there = new Set(python.globals.get("there").split("\n"));
  python.runPython("del there");
  const taken = python.makeMemorySnapshot();
  const from = new DataView(taken.buffer).getUint32(4, true);
  return { fresh, head: taken.slice(0, from), memory: taken.slice(from), there };
}

/** Where memory differs from how it begins: [at, bytes] in blocks, one behind another. */
export function runs(memory, fresh) {
  const found = [];
  for (let at = 0; at < memory.length; at += BLOCK) {
    let n = at;
    while (n < at + BLOCK && memory[n] === (n < fresh.length ? fresh[n] : 0)) n++;
    if (n === at + BLOCK) continue;
    const last = found.at(-1);
    if (last && last[0] + last[1] === at) last[1] += BLOCK;
    else found.push([at, BLOCK]);
  }
  return found;
}

/** The bytes before which everything of a fresh memory stands. */
export function filled(fresh) {
  let end = fresh.length;
  while (end && !fresh[end - 1]) end--;
  return end;
}
