/* Entries -> bundles. Standard input holds { root, outdir, jobs: [{ entries: {name: {file} or {text, dir}}, options, whole }] };
   standard output tells what was read, { inputs: [path from root] }, and which bundles each imports before it runs,
   { imports: {path from outdir: [path from outdir]} }. A fault is esbuild's own sentence, and exit 1. */
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { build } from "esbuild";

const asked = JSON.parse(readFileSync(0, "utf8"));
const root = resolve(asked.root);

/* An entry is a text that exists nowhere as a file; what it imports is looked up from its folder. */
const virtual = (entries) => ({
  name: "virtual",
  setup(esbuild) {
    esbuild.onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice("entry:".length), namespace: "entry" }));
    esbuild.onLoad({ filter: /.*/, namespace: "entry" }, ({ path }) => ({
      contents: entries[path].text,
      loader: "js",
      resolveDir: join(root, entries[path].dir),
    }));
  },
});

/* What an entry imports is there before all that it fetches later. Each of these imports the entry, too: else esbuild would
   cut it into a file for every set of them that shares a module, and a reader would wait for all of these files. */
const whole = (entries) => ({
  name: "whole",
  setup(esbuild) {
    const late = new Set();
    const imports = Object.values(entries).map(({ file }) => `import ${JSON.stringify(join(root, file))};`);
    esbuild.onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
      if (kind === "dynamic-import") late.add(join(resolveDir, path));
    });
    esbuild.onLoad({ filter: /\.js$/ }, ({ path }) =>
      late.has(path) ? { contents: [readFileSync(path, "utf8"), ...imports].join("\n") } : undefined,
    );
  },
});

const run = ({ entries, options, whole: asWhole }) =>
  build({
    absWorkingDir: root,
    entryPoints: Object.entries(entries).map(([out, { file }]) => ({ in: file ?? `entry:${out}`, out })),
    outdir: asked.outdir,
    bundle: true,
    charset: "utf8",
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
    logOverride: { "import-is-undefined": "silent" }, // an explainer without `settle` or `captions` has none
    metafile: true,
    tsconfigRaw: {}, // tsconfig.json is for the checker alone: its "strict" would add a line to every script
    plugins: [virtual(entries), ...(asWhole ? [whole(entries)] : [])],
    ...options,
  });

const inputs = new Set();
const imports = {};
const written = (path) => relative(asked.outdir, resolve(root, path));
for (const job of asked.jobs) {
  const { metafile } = await run(job).catch(() => process.exit(1));
  for (const path of Object.keys(metafile.inputs)) if (!path.startsWith("entry:")) inputs.add(path);
  for (const [path, { imports: found }] of Object.entries(metafile.outputs)) {
    const first = found.filter(({ kind, external }) => kind === "import-statement" && !external);
    if (first.length) imports[written(path)] = first.map((one) => written(one.path));
  }
}
process.stdout.write(JSON.stringify({ inputs: [...inputs].sort(), imports }));
