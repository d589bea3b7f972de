// Bundles the compiled commands and the test harness: `node src/bundle.mjs`, and part of every build (launch.mjs).
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const compiled = path.join(root, 'build');

/** Packages that load binaries or threads from their own folders and so are not bundled. */
const OUTSIDE = ['@nxtedition/rocksdb', 'koffi', 'piscina', 'rocksdb', 'secp256k1', 'tiny-secp256k1', 'zeromq'];
/** Definitions for CommonJS code in a bundle, which uses require and its own path. */
const banner = {
  js: [
    "import { createRequire as requireFrom } from 'node:module';",
    'const [require, __filename, __dirname] = [requireFrom(import.meta.url), import.meta.filename, import.meta.dirname];',
  ].join('\n'),
};

/**
 * Bundles the commands and their threads, with packages, into a few files: finding and reading a thousand modules takes
 * a third of a second, and each thread loads its own. A command is one file, which starts in 90 % of the time; threads
 * share theirs. Commands and shared files of threads lie two folders deep, as src/lib/worker-entries.ts expects.
 */
export async function bundle() {
  const outdir = path.join(compiled, 'bundle');
  fs.rmSync(outdir, { recursive: true, force: true });
  const entries = (folder, out) =>
    fs
      .readdirSync(path.join(compiled, folder))
      .filter((name) => name.endsWith('.js'))
      .map((name) => ({ in: path.join(compiled, folder, name), out: `${out}/${path.parse(name).name}` }));
  const common = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: OUTSIDE,
    banner,
    sourcemap: true,
    logLevel: 'error',
  };
  await build({ ...common, entryPoints: entries('src', 'src/bin') });
  await build({ ...common, entryPoints: entries('workers', 'workers'), splitting: true, chunkNames: 'src/bin/[name]-[hash]' });
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
    banner,
    logLevel: 'error',
  });
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'tap', main: file }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundle();
  await bundleHarness();
}
