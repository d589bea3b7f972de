// Runs the scripts of package.json, such as `npm start` and `npm test`. Plain JavaScript that needs only Node.js,
// because it must work in a fresh clone: it installs packages if the lock file or the version of Node.js has changed,
// compiles if a source has changed, and then runs the command.
import { spawn, spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireSystem } from './check-system.cjs';
import { writeMethodTables } from './method-tables.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const inRoot = (...parts) => path.join(root, ...parts);
const installedMark = inRoot('node_modules', '.adit-installed');
const builtMark = inRoot('build', '.adit-built');
/** Digest of the sources of the last compiled kernel. */
const kernelMark = inRoot('build', '.adit-kernel-built');
/** Digest of the sources of the last bundles. */
const bundledMark = inRoot('build', 'bundle', '.adit-bundled');
/** State of the last compilation, which lets tsc compile only changed files (tsBuildInfoFile in tsconfig.json). */
const compilerRecord = inRoot('build', '.tsbuildinfo');

const help = `usage: node src/launch.mjs COMMAND [ARG...]

  start [OPTION...]    install, build, and run the daemon (regtest unless a network is named)
  build                install and build
  test [FILE|FOLDER...] install, build, and run the fast tests (or just the files and folders of tests named)
  test:long            install, build, and run the other tests (those that take long, kills, power cuts, damage, attacks, fleets),
                       and the vector suites if their folder exists
  vectors              install, build, and run the vector suites over the folder that VECTORS names
  replay [FILE...]     install, build, and replay the recorded conversations of test/conformance
  core-tests --core=PATH [--version=0.21.1|31] [--only=NAME,...] [--jobs=1] [--minutes=20]
                       install, build, and run Bitcoin Core's functional tests (test/core/run.ts)
  compare --bitcoind=PATH [--version=31|0.21.1] [--steps=1000 --seed=1]
                       install, build, and play a random stream to a node and to that bitcoind (test/compare/run.ts)
  compare:calls --bitcoind=PATH [--version=31|0.21.1] [--calls=20000 --seed=1]
                       install, build, and make the same random calls of both (test/compare/calls.ts)
  compare:wallets --bitcoind=PATH [--steps=1000 --seed=1]
                       install, build, and make the same random calls of two wallets (test/compare/wallets.ts)
  compare:options --bitcoind=PATH [--only=REGEX --minutes=60 --seed=1 --words]
  compare:arguments --bitcoind=PATH [--only=REGEX]
                       install, build, and start both with every option of Core's help (test/compare/options.ts)
  compare:libraries [--cases=2000 --seed=1]
                       install, build, and exchange random PSBTs with libraries of npm (test/compare/libraries.ts)
  compare:script --bitcoind=PATH [--version=31|0.21.1] [--spends=20000 --seed=1]
                       install, build, and have both judge random scripts (test/compare/scripts.ts)
  compare:interpreter --core=PATH [--version=31|0.21.1] [--spends=1000000 --seed=1]
                       install, build, and have both interpreters judge random spends (test/compare/interpreter.ts)
  facts --core=PATH [--write-seeds]
                       install, build, and compare the networks' facts with a source tree of Core (test/facts/run.ts)
  licences             install, build, and write docs/dependencies.md (test/dependencies/write.ts)
  fuzz [ARG...]        install, build, and run the long fuzz suite (test/fuzz/long/run.ts says which arguments there are)
  bench NAME [ARG...]  install, build, and run bench/NAME
  nightly              install, build, and run the tests of kills and faults with all their rounds (npm run test:long takes a few)
  kill [--kills=N --seed=N --minutes=N --phase=NAME --jobs=N]
                       install, build, and kill daemons a thousand times (an hour at most)
  power [--cuts=N --seed=N --minutes=N --phase=NAME --jobs=N]
                       install, build, and cut the power of daemons a thousand times (needs a C compiler)
  mutate MODULE [FILE] [--mutants=60 --seed=1 --minutes=30]
                       install, build, and list changes of src/MODULE that no unit test notices (test/mutate/run.ts)
  mesh [--nodes=8 --blocks=N --transactions=N --reorg=200 --minutes=15]
                       install, build, and let several nodes sync, fall apart and agree again
  fleet [--minutes=30 --seed=1 --servers=3 --nodes=3 --fronts=3]
                       install, build, and test a fleet with random faults (needs nats-server)
  hostile              install, build, and attack a node for ten minutes (HOSTILE_SECONDS, HOSTILE_LANES, HOSTILE_ONLY)
  soak                 install, build, and load a node in mode live for half an hour
`;

function fail(message) {
  process.stderr.write(`adit: ${message}\n`);
  process.exit(1);
}

function readOrEmpty(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Returns a digest of names, sizes, and contents: fast enough for every start, and independent of clocks. */
function digest(files) {
  const hash = crypto.createHash('sha256');
  for (const file of files)
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(readOrEmpty(file))
      .update('\0');
  return hash.digest('hex');
}

function* walk(folder, ending) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(full, ending);
    else if (entry.name.endsWith(ending)) yield full;
  }
}

function run(command, args, what) {
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (done.error) fail(`${what} could not be started: ${done.error.message}`);
  if (done.status !== 0) fail(`${what} failed; the lines above say why`);
}

/** Returns whether node_modules matches the lock file. Optional packages may be missing, because npm skips those of other systems. */
function isInstalled() {
  const { packages } = JSON.parse(readOrEmpty(inRoot('package-lock.json')));
  return Object.entries(packages).every(([place, { version, optional }]) => {
    const installed = place === '' ? '' : readOrEmpty(inRoot(place, 'package.json'));
    return installed === '' ? place === '' || optional === true : JSON.parse(installed).version === version;
  });
}

function install() {
  // Some packages have a binary for each version of Node.js's binary interface. npm installs the one for its own
  // version.
  const wanted = `${digest([inRoot('package-lock.json')])} ${process.platform}-${process.arch}-${process.versions.modules}`;
  const before = readOrEmpty(installedMark);
  if (before === wanted) return;
  if (before.endsWith(wanted.slice(wanted.indexOf(' '))) && isInstalled()) {
    fs.writeFileSync(installedMark, wanted);
    return;
  }
  process.stdout.write('adit: installing packages (once, about a minute)\n');
  // Not `npm ci`, which refuses a lock file without the optional binaries of other platforms than the one on which it
  // was written.
  run('npm', ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], 'npm install');
  fs.writeFileSync(installedMark, wanted);
}

/**
 * Writes the commit of this build for src/config/version.ts: the first 12 digits of its hash, and `-dirty` if files have
 * changed since. Writes no file outside a git repository of adit.
 */
function writeCommit() {
  const file = inRoot('build', 'bundle', 'commit');
  const described = fs.existsSync(inRoot('.git'))
    ? spawnSync('git', ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'], { cwd: root, encoding: 'utf8' })
    : null;
  const commit = described?.status === 0 ? described.stdout : '';
  if (commit === '') fs.rmSync(file, { force: true });
  else if (readOrEmpty(file) !== commit) fs.writeFileSync(file, commit);
}

/** Compiles the AssemblyScript of src/engine/kernel to WebAssembly, if it has changed. */
function compileKernel() {
  const folder = inRoot('src', 'engine', 'kernel');
  const wasm = inRoot('build', 'workers', 'engine-kernel.wasm');
  const compiler = inRoot('node_modules', 'assemblyscript');
  const wanted = digest([...walk(folder, '.ts'), path.join(compiler, 'package.json'), inRoot('src', 'launch.mjs')]);
  if (readOrEmpty(kernelMark) === wanted && fs.existsSync(wasm)) return;
  const memory = ['--importMemory', '--sharedMemory', '--initialMemory', '2', '--maximumMemory', '65536'];
  const options = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'threads,bulk-memory', ...memory];
  run(process.execPath, [path.join(compiler, 'bin', 'asc.js'), path.join(folder, 'index.ts'), ...options, '--outFile', wasm], 'the build');
  fs.writeFileSync(kernelMark, wanted);
}

async function build() {
  writeMethodTables(inRoot());
  const sources = (folders) => folders.flatMap((folder) => [...walk(inRoot(folder), '.ts')]);
  const common = ['tsconfig.json', 'package-lock.json', 'src/bundle.mjs', 'src/launch.mjs'].map((name) => inRoot(name));
  const wantedBundle = digest([...common, ...walk(inRoot('src'), '.cjs'), ...sources(['src', 'workers'])]);
  const tap = ['tap-domain.mjs', 'tap-entry.mjs'].map((name) => inRoot('test', name));
  const wanted = `${wantedBundle} ${digest([...common, ...tap, ...sources(['bench', 'test'])])}`;
  // Rewrite the file even if no source has changed: the commit may be new.
  if (readOrEmpty(builtMark) === wanted) return writeCommit();
  process.stdout.write('adit: building (about a minute the first time)\n');
  // An interrupted build may have left the compiler's state without the files that it lists.
  if (!fs.existsSync(builtMark)) fs.rmSync(compilerRecord, { force: true });
  run(process.execPath, [inRoot('node_modules', 'typescript', 'bin', 'tsc'), '-p', inRoot('tsconfig.json')], 'the build');
  compileKernel();
  // Delete compiled files without a source, which the test runner would still find.
  for (const compiled of walk(inRoot('build'), '.js')) {
    const source = inRoot(path.relative(inRoot('build'), compiled)).replace(/\.js$/, '.ts');
    if (!compiled.startsWith(inRoot('build', 'bundle') + path.sep) && !fs.existsSync(source)) fs.rmSync(compiled);
  }
  const { bundle, bundleHarness } = await import('./bundle.mjs');
  // A change of tests alone keeps the bundles, and the code caches beside them.
  if (readOrEmpty(bundledMark) !== wantedBundle) await bundle();
  fs.writeFileSync(bundledMark, wantedBundle);
  await bundleHarness();
  writeCommit();
  fs.writeFileSync(builtMark, wanted);
}

/** Runs a child process in place of this one: exits with its status, and passes signals on to it. */
function become(args, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd: process.env.INIT_CWD ?? process.cwd(),
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}

const networkOption = /^--?(no)?(regtest|signet|testnet|testnet4|chain|conf)(=|$)/;

/** Returns the compiled tests of folders. */
function compiledTests(...folders) {
  return folders.flatMap((folder) =>
    fs.existsSync(inRoot('build', 'test', folder)) ? [...walk(inRoot('build', 'test', folder), '.test.js')] : [],
  );
}

/** Seconds up to which a file of tests is a fast one, by test/weights.json. */
const FAST_SECONDS = 12;

/**
 * Returns the compiled tests of `npm test` and those of `npm run test:long`, which together are all. Fast are files of
 * unit, fuzz and functional that take up to FAST_SECONDS. If an area of functional (the first word of a file's name)
 * has none, its shortest file is fast as well.
 */
function fastAndLongTests() {
  const weights = JSON.parse(fs.readFileSync(inRoot('test', 'weights.json'), 'utf8'));
  const weightOf = (file) =>
    weights[
      path
        .relative(inRoot('build', 'test'), file)
        .replace(/\.test\.js$/, '')
        .replaceAll('\\', '/')
    ] ?? 0;
  const areaOf = (file) => path.basename(file).split('-')[0];
  const everyDay = compiledTests('unit', 'fuzz', 'functional');
  const fast = new Set(everyDay.filter((file) => weightOf(file) <= FAST_SECONDS));
  for (const file of compiledTests('functional').sort((a, b) => weightOf(a) - weightOf(b)))
    if (![...fast].some((one) => path.dirname(one) === path.dirname(file) && areaOf(one) === areaOf(file))) fast.add(file);
  return { fast: [...fast], long: [...everyDay.filter((file) => !fast.has(file)), ...compiledTests('long', 'kill', 'power')] };
}

/** Returns the compiled tests for an argument of `npm test`: a test's source, a compiled test, or a folder of either. */
function namedTests(name) {
  const full = path.resolve(process.env.INIT_CWD ?? process.cwd(), name);
  if (!fs.existsSync(full)) fail(`there is no test file or folder ${full}`);
  const compiled = full.startsWith(inRoot('build') + path.sep) ? full : inRoot('build', path.relative(root, full)).replace(/\.ts$/, '.js');
  if (fs.statSync(full).isDirectory()) {
    const tests = fs.existsSync(compiled) ? [...walk(compiled, '.test.js')] : [];
    if (tests.length === 0) fail(`there are no tests in ${full}`);
    return tests;
  }
  if (!compiled.endsWith('.test.js') || !fs.existsSync(compiled))
    fail(`${full} is not a test of this project: name a file that ends in .test.ts`);
  return [compiled];
}

/** Tests need no further certificates, with which each Node.js process takes three times as long to start. */
function forgetCertificates() {
  delete process.env.NODE_EXTRA_CA_CERTS;
}

function runTests(files) {
  if (files.length === 0) fail('no compiled test was found');
  forgetCertificates();
  // A file may be named twice, by itself and by its folder.
  become([inRoot('test', 'run-tests.mjs'), ...new Set(files)]);
}

const [command, ...rest] = process.argv.slice(2);
requireSystem();
switch (command) {
  case 'start':
    install();
    await build();
    become([
      inRoot('build', 'bundle', 'src', 'bin', 'aditd.cjs'),
      ...(rest.some((arg) => networkOption.test(arg)) ? [] : ['-regtest']),
      '-printtoconsole=0',
      '-announce',
      ...rest,
    ]);
    break;
  case 'build':
    install();
    await build();
    break;
  case 'test':
    install();
    await build();
    runTests(rest.length > 0 ? rest.flatMap(namedTests) : fastAndLongTests().fast);
    break;
  case 'test:long': {
    install();
    await build();
    const vectors = path.resolve(root, process.env.VECTORS ?? '../shared/vectors');
    runTests([...fastAndLongTests().long, ...(fs.existsSync(vectors) ? compiledTests('vectors') : [])]);
    break;
  }
  case 'nightly':
    install();
    await build();
    process.env.ADIT_NIGHTLY = '1';
    if (process.env.ADIT_TEST_SEED === undefined) process.env.ADIT_TEST_SEED = 'random';
    runTests(
      Object.values(fastAndLongTests())
        .flat()
        .filter((file) => readOrEmpty(file).includes('framework/depth.js')),
    );
    break;
  case 'vectors':
    install();
    await build();
    runTests(compiledTests('vectors'));
    break;
  case 'replay':
    install();
    await build();
    forgetCertificates();
    become([inRoot('build', 'test', 'conformance', 'replay-all.js'), ...rest]);
    break;
  case 'core-tests':
    install();
    await build();
    become(['--enable-source-maps', inRoot('build', 'test', 'core', 'run.js'), ...rest]);
    break;
  case 'compare':
  case 'compare:calls':
  case 'compare:wallets':
  case 'compare:options':
  case 'compare:arguments':
  case 'compare:libraries':
  case 'compare:script':
  case 'compare:interpreter': {
    install();
    await build();
    const files = {
      compare: 'run.js',
      'compare:calls': 'calls.js',
      'compare:wallets': 'wallets.js',
      'compare:options': 'options.js',
      'compare:arguments': 'arguments.js',
      'compare:libraries': 'libraries.js',
      'compare:script': 'scripts.js',
      'compare:interpreter': 'interpreter.js',
    };
    become(['--enable-source-maps', inRoot('build', 'test', 'compare', files[command]), ...rest]);
    break;
  }
  case 'facts':
    install();
    await build();
    become([inRoot('build', 'test', 'facts', 'run.js'), ...rest]);
    break;
  case 'licences':
    install();
    await build();
    become([inRoot('build', 'test', 'dependencies', 'write.js')]);
    break;
  case 'fuzz':
    install();
    await build();
    become([inRoot('build', 'test', 'fuzz', 'long', 'run.js'), ...rest]);
    break;
  case 'bench':
    install();
    await build();
    if (!rest[0] || !fs.existsSync(inRoot('build', 'bench', `${rest[0]}.js`))) {
      const names = [...walk(inRoot('build', 'bench'), '.js')]
        .map((file) => path.relative(inRoot('build', 'bench'), file).replace(/\.js$/, ''))
        .filter((name) => !name.includes(path.sep));
      fail(`no such bench; there are: ${names.join(', ')}`);
    }
    become([inRoot('build', 'bench', `${rest[0]}.js`), ...rest.slice(1)]);
    break;
  case 'mutate':
    install();
    await build();
    become([inRoot('build', 'test', 'mutate', 'run.js'), ...rest]);
    break;
  case 'kill':
  case 'power':
  case 'mesh':
  case 'fleet':
  case 'hostile':
    install();
    await build();
    become(['--enable-source-maps', inRoot('build', 'test', command, 'long.js'), ...rest]);
    break;
  case 'soak':
    install();
    await build();
    become(['--enable-source-maps', inRoot('build', 'test', 'soak', 'soak-live.js'), ...rest]);
    break;
  case undefined:
  case '-h':
  case '--help':
    process.stdout.write(help);
    break;
  default:
    fail(`unknown command ${command}\n\n${help}`);
}
