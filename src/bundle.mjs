// Bundles the compiled commands and the test harness: `node src/bundle.mjs`, and part of every build (launch.mjs).
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const compiled = path.join(root, 'build');

/** Packages that load binaries or threads from their own folders and so are not bundled. */
const OUTSIDE = ['koffi', 'piscina', 'rocksdb', 'secp256k1', 'tiny-secp256k1', 'zeromq'];
/** Bundles the JavaScript of @nxtedition/rocksdb, which takes a thread 10 ms to load from its 20 files. Its binary stays outside. */
const rocksdbPlugin = {
  name: 'rocksdb',
  setup({ onLoad, onResolve }) {
    // esbuild follows `require`, but no function that createRequire returns.
    onLoad({ filter: /[\\/]nxtedition-engine\.js$/ }, ({ path: file }) => ({
      contents: fs.readFileSync(file, 'utf8').replaceAll("createRequire(import.meta.url)('@nxtedition/", "require('@nxtedition/"),
    }));
    onResolve({ filter: /^\.\/binding$/ }, ({ importer }) =>
      importer.includes('@nxtedition') ? { path: '@nxtedition/rocksdb/binding.js', external: true } : undefined,
    );
  },
};

/**
 * Bundles the commands and their threads, with packages, into one file each: finding and reading a thousand modules takes
 * a third of a second, and each thread loads its own. The files are CommonJS modules that src/code-cache.cjs can load.
 * Commands and the code of threads lie two folders deep, as src/lib/worker-entries.ts expects.
 */
export async function bundle() {
  const outdir = path.join(compiled, 'bundle');
  fs.rmSync(outdir, { recursive: true, force: true });
  const compiledNames = (folder) => fs.readdirSync(path.join(compiled, folder)).filter((name) => name.endsWith('.js'));
  const entries = (folder, out) =>
    compiledNames(folder).map((name) => ({ in: path.join(compiled, folder, name), out: `${out}/${path.parse(name).name}` }));
  const { outputFiles } = await build({
    absWorkingDir: root,
    outdir,
    entryPoints: [...entries('src', 'src/bin'), ...entries('workers', 'workers/code')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // V8 forgets the options of import() in a script that it takes from a cache: import() becomes require().
    supported: { 'dynamic-import': false },
    external: OUTSIDE,
    plugins: [rocksdbPlugin],
    define: { 'import.meta.url': 'moduleUrl', 'import.meta.dirname': '__dirname' },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
    sourcemap: true,
    write: false,
    logLevel: 'error',
  });
  for (const { path: file, contents } of outputFiles) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, contents);
    if (!file.endsWith('.js')) continue;
    if (contents.some((byte) => byte > 127)) throw new Error(`${file} is not ASCII: src/code-cache.cjs would read it wrongly`);
    fs.appendFileSync(file, `// ${crypto.createHash('sha256').update(contents).digest('hex').slice(0, 32)}\n`);
  }
  for (const name of compiledNames('workers')) {
    const loader = `module.exports = require('../src/bin/code-cache.cjs').loadBundle(require.resolve('./code/${name}'));\n`;
    fs.writeFileSync(path.join(outdir, 'workers', name), loader);
  }
  fs.writeFileSync(path.join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
  for (const name of fs.readdirSync(path.join(compiled, 'workers')).filter((name) => name.endsWith('.wasm')))
    fs.copyFileSync(path.join(compiled, 'workers', name), path.join(outdir, 'workers', name));
  for (const name of fs.readdirSync(path.join(root, 'src')).filter((name) => name.endsWith('.cjs')))
    fs.copyFileSync(path.join(root, 'src', name), path.join(outdir, 'src', 'bin', name));
}

/**
 * Bundles tap into one file, where compiled tests find it before node_modules: its 400 modules take 0.2 s of processor
 * time to load in each test process.
 */
export async function bundleHarness() {
  const folder = path.join(compiled, 'node_modules', 'tap');
  // tap hides modules of its scope in stack traces.
  const file = 'node_modules/@tapjs/index.mjs';
  await build({
    absWorkingDir: root,
    entryPoints: [path.join(root, 'test', 'tap-entry.mjs')],
    outfile: path.join(folder, file),
    alias: { 'async-hook-domain': path.join(root, 'test', 'tap-domain.mjs') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // For CommonJS code in the bundle, which uses require and its own path.
    banner: {
      js: [
        "import { createRequire as requireFrom } from 'node:module';",
        'const [require, __filename, __dirname] = [requireFrom(import.meta.url), import.meta.filename, import.meta.dirname];',
      ].join('\n'),
    },
    logLevel: 'error',
  });
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'tap', main: file }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundle();
  await bundleHarness();
}
