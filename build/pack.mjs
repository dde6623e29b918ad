/* Sources -> static/bundles/python/: Pyodide as npm sent it, and the bytecode that runs in it, made by itself.
   Standard input holds { pyodide, outdir, sources: {path: text}, data: {path: base64} }; standard output tells
   { files: {name: bytes}, lock }. What is deflated here needs no help of the host that serves it. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const { pyodide, outdir, sources, data } = JSON.parse(readFileSync(0, "utf8"));
const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")).href);
const python = await loadPyodide({ indexURL: pyodide });
python.FS.writeFile("/home/pyodide/pack_inside.py", readFileSync(new URL("pack_inside.py", import.meta.url)));
const bytes = Object.entries(data).map(([name, text]) => [name, new Uint8Array(Buffer.from(text, "base64"))]);
const given = python.toPy({ sources, data: Object.fromEntries(bytes) });
python.globals.set("given", given);
const [library, ours] = python
  .runPython(`
import pack_inside
pack_inside.packed(given["sources"], {name: bytes(one) for name, one in given["data"].items()})`)
  .toJs();

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
write("pyodide.asm.wasm.bin", deflated(readFileSync(join(pyodide, "pyodide.asm.wasm"))));
write("library.bin", deflated(library));
write("cutaway.bin", deflated(ours));
const { info } = JSON.parse(readFileSync(join(pyodide, "pyodide-lock.json"), "utf8"));
process.stdout.write(JSON.stringify({ files, lock: { info, packages: {} } }));
