// Bundles what was compiled, and the tests' harness: `node src/bundle.mjs`, and a part of every build (launch.mjs).
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const compiled = path.join(root, 'build');

/** Packages that load binaries or threads from their own folders. */
const OUTSIDE = [
  '@nxtedition/rocksdb',
  'koffi',
  'piscina',
  'rocksdb',
  'secp256k1',
  'tiny-secp256k1',
  'uWebSockets.js',
  'uwebsockets-next',
  'zeromq',
];
/** What is left of CommonJS in a bundle asks for Node's modules and for its place. */
const banner = {
  js: [
    "import { createRequire as requireFrom } from 'node:module';",
    'const [require, __filename, __dirname] = [requireFrom(import.meta.url), import.meta.filename, import.meta.dirname];',
  ].join('\n'),
};

/**
 * Puts what the commands and their threads load into a few files, packages too: a thousand modules take a third of a
 * second to be found and read, and each thread loads its own. A command is one file, which starts in nine tenths of the
 * time; threads share theirs. Commands, and what threads share, lie two folders deep, as src/lib/worker-entries.ts
 * expects.
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
 * Puts tap into one file where compiled tests find it before node_modules: its 400 modules take 0.2 s of processor time
 * to load, in each of the tests' processes.
 */
export async function bundleHarness() {
  const folder = path.join(compiled, 'node_modules', 'tap');
  // tap leaves the modules of its scope out of the stacks that it shows.
  const file = 'node_modules/@tapjs/index.mjs';
  await build({
    absWorkingDir: root,
    stdin: { contents: "export * from 'tap';\nexport { default } from 'tap';\n", resolveDir: root },
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
