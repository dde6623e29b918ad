/* Sources -> static/bundles/python/: Pyodide as npm sent it, and one image of it with everything of ours imported.
   Standard input holds { pyodide, outdir, sources: {path: text}, later: {path: text}, data: {path: base64},
   once: {path: base64}, warm: [text] }; `later` is what is imported when a reader asks for it, in a file of its own;
   standard output tells { files: {name: bytes}, lock }. What is deflated here needs no help of the host that serves it. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { filled, runs, started } from "./pack_image.mjs";

const { pyodide, outdir, sources, later, data, once, warm } = JSON.parse(readFileSync(0, "utf8"));

/** Bytecode by the Python that will run it. */
async function compiled() {
  const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")).href);
  const python = await loadPyodide({ indexURL: pyodide });
  python.FS.writeFile("/home/pyodide/pack_inside.py", readFileSync(new URL("pack_inside.py", import.meta.url)));
  python.globals.set("sources", python.toPy({ ...sources, ...later }));
  const [library, all, archive] = python
    .runPython("import pack_inside; pack_inside.compiled_all(sources)")
    .toJs({ dict_converter: Object.fromEntries });
  const isLater = ([name]) => name.slice(0, -1) in later;
  const entries = Object.entries(all);
  const ours = Object.fromEntries(entries.filter((one) => !isLater(one)));
  return { library, ours, archive, run: entries.filter(isLater) };
}

const bytes = (files) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, "base64")]));
const moduleOf = (path) => path.replace(/(\/__init__)?\.pyc$/, "").replaceAll("/", ".");

/** Everything of ours is imported, and the archive that the library came from is not needed any more. */
async function taken({ library, ours, archive }) {
  const folder = mkdtempSync(join(tmpdir(), "pack-"));
  const file = join(folder, "library.zip");
  writeFileSync(file, archive);
  const unpack = (FS, root) => {
    for (const [name, content] of Object.entries({ ...ours, ...bytes(data), ...bytes(once) })) {
      FS.mkdirTree(`${root}/${name.slice(0, name.lastIndexOf("/"))}`);
      FS.writeFile(`${root}/${name}`, content);
    }
  };
  const modules = Object.keys(ours)
    .filter((name) => !name.includes("/templates/"))
    .map(moduleOf);
  try {
    return await started(pyodide, { library: file, modules, warm, unpack });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An image: the memory where it has changed, and the files that are still read. */
function image({ fresh, head, memory, there }, { library, ours }) {
  const files = Object.entries({ ...library, ...ours }).filter(([name]) => !there.has(moduleOf(name)));
  files.push(...Object.entries(bytes(data)));
  const changed = runs(memory, fresh);
  const told = { size: memory.length, fresh: filled(fresh), head: head.length, runs: changed };
  return packed(told, files, [head, ...changed.map(([at, size]) => memory.subarray(at, at + size))]);
}

/** The length of an index, the index as JSON, and what it lists, one behind another. */
function packed(told, files, parts = []) {
  const sizes = files.map(([name, content]) => [name, content.length]);
  const index = Buffer.from(JSON.stringify({ ...told, files: sizes }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  return Buffer.concat([length, index, ...parts, ...files.map(([, content]) => content)]);
}

const files = {};
const write = (name, content) => {
  writeFileSync(join(outdir, name), content);
  files[name] = content.length;
};
const deflated = (content) => {
  const made = gzipSync(content, { level: 9 });
  made[9] = 255; // which system made it: none
  return made;
};
for (const name of ["pyodide.mjs", "pyodide.asm.mjs"]) {
  copyFileSync(join(pyodide, name), join(outdir, name));
  files[name] = readFileSync(join(pyodide, name)).length;
}
const code = await compiled();
write("pyodide.asm.wasm.bin", deflated(readFileSync(join(pyodide, "pyodide.asm.wasm"))));
write("cutaway.bin", deflated(image(await taken(code), code)));
write("run.bin", deflated(packed({ size: 0, fresh: 0, head: 0, runs: [] }, code.run)));
const { info } = JSON.parse(readFileSync(join(pyodide, "pyodide-lock.json"), "utf8"));
process.stdout.write(JSON.stringify({ files, lock: { info, packages: {} } }));
