// Checks imports between modules. A module may import only the modules of its row in the table, and never modules that
// are built on it. Only one module imports each outside library. A file that nothing imports fails too.
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import t from 'tap';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Module → modules that it may import, besides itself. Every module except the pure ones may import `lib`. */
const mayImport: Record<string, readonly string[]> = {
  'src/crypto': [],
  'src/crypto/native': ['src/crypto'],
  'src/consensus': ['src/crypto'],
  'src/policy': ['src/consensus', 'src/crypto'],
  'src/address': ['src/consensus', 'src/policy', 'src/crypto'],
  'src/psbt': ['src/address', 'src/policy', 'src/consensus', 'src/crypto'],
  'src/filters': ['src/consensus', 'src/crypto'],
  'src/selection': [],
  // Stratum V2: the bytes of the protocol, a thread for its sockets, and the work of the node thread for this thread.
  'src/sv2': ['src/address', 'src/consensus', 'src/crypto'],
  'src/sv2/serve': ['src/sv2', 'src/mining', 'src/mining/serve', 'src/consensus', 'src/crypto', 'src/crypto/native', 'src/log'],
  'src/sv2/provide': ['src/crypto'],
  // Work for miners and the blocks they find: the part on the node thread, and the parts that the threads which serve
  // miners share.
  'src/mining': ['src/template', 'src/consensus', 'src/crypto', 'src/log'],
  'src/mining/serve': ['src/mining', 'src/consensus'],
  // Stratum V1: lines, jobs, shares and statistics of miners.
  'src/stratum': ['src/address', 'src/consensus', 'src/crypto'],
  'src/stratum/serve': ['src/stratum', 'src/mining', 'src/mining/serve', 'src/consensus', 'src/crypto', 'src/crypto/native', 'src/log'],
  // Signing, for wallets and pool threads.
  'src/signing': ['src/psbt', 'src/policy', 'src/address', 'src/consensus', 'src/crypto'],
  // Links between threads: fronts and the node thread.
  'src/link': ['src/template'],
  'src/lib': [],
  'src/log': [],
  // The options of a module are plain records in the module's folder.
  'src/config': [
    'src/chain',
    'src/http',
    'src/fleet',
    'src/notify',
    'src/sv2',
    'src/stratum',
    'src/stratum/serve',
    'src/wallet',
    'src/net',
    'src/indexes',
    'src/mempool',
    'src/template',
    'src/policy',
    'src/consensus',
    'src/log',
    'src/metrics',
  ],
  'src/metrics': [],
  'src/jobs': ['src/consensus', 'src/crypto', 'src/policy', 'src/address', 'src/selection', 'src/filters', 'src/storage', 'src/signing'],
  'src/parallel': ['src/jobs', 'src/signing', 'src/consensus', 'src/crypto', 'src/selection', 'src/log'],
  'src/storage': ['src/consensus', 'src/crypto'],
  // Threads that connect blocks below the assumed-valid block.
  'src/engine': ['src/storage', 'src/consensus', 'src/crypto', 'src/crypto/native'],
  'src/chain': ['src/engine', 'src/storage', 'src/parallel', 'src/jobs', 'src/consensus', 'src/crypto', 'src/log'],
  'src/indexes': ['src/chain', 'src/filters', 'src/storage', 'src/consensus', 'src/crypto', 'src/log'],
  'src/mempool': [
    'src/chain',
    'src/storage',
    'src/parallel',
    'src/jobs',
    'src/selection',
    'src/policy',
    'src/consensus',
    'src/crypto',
    'src/log',
  ],
  'src/template': ['src/consensus', 'src/policy', 'src/crypto', 'src/selection', 'src/jobs', 'src/parallel', 'src/log'],
  'src/template/view': ['src/template', 'src/consensus', 'src/crypto'],
  'src/rpc': [
    'src/link',
    'src/rpc/methods',
    'src/storage',
    'src/template',
    'src/psbt',
    'src/consensus',
    'src/policy',
    'src/address',
    'src/crypto',
    'src/log',
  ],
  // A method's declaration imports only from rpc, its run function from the modules of its thread.
  'src/rpc/methods': [
    'src/rpc/context',
    'src/rpc',
    'src/rpc/node',
    'src/rpc/wallet',
    'src/wallet',
    'src/signing',
    'src/template',
    'src/stratum',
    'src/chain',
    'src/mempool',
    'src/selection',
    'src/jobs',
    'src/parallel',
    'src/storage',
    'src/consensus',
    'src/psbt',
    'src/policy',
    'src/address',
    'src/crypto',
    'src/log',
  ],
  // The view that methods have of other modules: only types.
  'src/rpc/context': [
    'src/rpc',
    'src/wallet',
    'src/signing',
    'src/template',
    'src/stratum',
    'src/chain',
    'src/mempool',
    'src/consensus',
    'src/policy',
    'src/address',
    'src/crypto',
  ],
  'src/rpc/node': [
    'src/rpc/context',
    'src/rpc',
    'src/rpc/methods',
    'src/link',
    'src/rpc/wallet',
    'src/wallet',
    'src/signing',
    'src/template',
    'src/chain',
    'src/mempool',
    'src/selection',
    'src/jobs',
    'src/parallel',
    'src/storage',
    'src/consensus',
    'src/psbt',
    'src/policy',
    'src/address',
    'src/crypto',
    'src/log',
  ],
  'src/rpc/wallet': [
    'src/rpc/context',
    'src/rpc',
    'src/rpc/methods',
    'src/rpc/node',
    'src/wallet',
    'src/signing',
    'src/chain',
    'src/parallel',
    'src/consensus',
    'src/psbt',
    'src/policy',
    'src/address',
    'src/crypto',
    'src/log',
  ],
  'src/wallet/spend/select': ['src/policy', 'src/consensus'],
  'src/wallet': [
    'src/signing',
    'src/wallet/spend/select',
    'src/storage',
    'src/chain',
    'src/mempool',
    'src/parallel',
    'src/jobs',
    'src/psbt',
    'src/policy',
    'src/address',
    'src/consensus',
    'src/crypto',
    'src/log',
  ],
  'src/net': ['src/mempool', 'src/chain', 'src/policy', 'src/consensus', 'src/crypto', 'src/log'],
  'src/notify': ['src/log'],
  'src/cli': ['src/config', 'src/rpc'],
  'src/http': [
    'src/link',
    'src/parallel',
    'src/rpc',
    'src/template',
    'src/template/view',
    'src/consensus',
    'src/policy',
    'src/address',
    'src/crypto',
    'src/crypto/native',
    'src/log',
  ],
  'src/fleet': [
    'src/mining',
    'src/http',
    'src/link',
    'src/rpc',
    'src/template',
    'src/consensus',
    'src/policy',
    'src/address',
    'src/crypto',
    'src/crypto/native',
    'src/log',
  ],
};

/** Outside library → the only modules that may import it. */
const doors: Record<string, readonly string[]> = {
  'node:net': [
    'src/net',
    'src/http',
    'src/mining/serve',
    'src/stratum/serve',
    'src/sv2/serve',
    'src/node',
    'src/config',
    'src/rpc',
    'src/cli',
  ],
  piscina: ['src/parallel'],
  'prom-client': ['src/metrics'],
  zeromq: ['src/notify'],
  koffi: ['src/crypto/native', 'src/http'],
  secp256k1: ['src/crypto/native'],
  'tiny-secp256k1': ['src/crypto/native'],
  rocksdb: ['src/storage'],
  '@nxtedition/rocksdb': ['src/storage'],
  msgpackr: ['src/link', 'src/jobs', 'src/parallel', 'src/storage', 'src/wallet', 'src/fleet'],
  '@nats-io/transport-node': ['src/fleet'],
  '@nats-io/jetstream': ['src/fleet'],
  '@nats-io/kv': ['src/fleet'],
};

/**
 * Module → its faces, which are the files that other modules may import. There is one face per thread that loads the
 * module.
 */
const faces: Record<string, readonly string[]> = {
  'src/chain': ['src/chain/index', 'src/chain/options'],
  'src/cli': ['src/cli/run'],
  'src/config': ['src/config/index'],
  'src/engine': ['src/engine/engine', 'src/engine/engine-thread', 'src/engine/shared-state'],
  'src/filters': ['src/filters/index'],
  // A node without -fleet loads none of these files, and one with it those of `publish`.
  'src/fleet': [
    'src/fleet/follow/index',
    'src/fleet/options',
    'src/fleet/publish/counters',
    'src/fleet/publish/publisher',
    'src/fleet/signed',
  ],
  'src/http': [
    'src/http/front/decode-context',
    'src/http/front/scan-method',
    'src/http/front/start-front',
    'src/http/front/template-state',
    'src/http/options',
    'src/http/server',
  ],
  'src/indexes': ['src/indexes/index', 'src/indexes/options'],
  'src/mempool': ['src/mempool/index', 'src/mempool/options'],
  'src/metrics': ['src/metrics/index', 'src/metrics/options'],
  'src/mining': ['src/mining/index', 'src/mining/serve/index'],
  'src/net': ['src/net/index', 'src/net/options-face', 'src/net/thread/messages', 'src/net/thread/serve-connections'],
  'src/notify': ['src/notify/index', 'src/notify/options'],
  'src/psbt': ['src/psbt/index'],
  'src/selection': ['src/selection/index'],
  'src/signing': ['src/signing/index'],
  'src/stratum': ['src/stratum/index', 'src/stratum/options', 'src/stratum/serve/index', 'src/stratum/serve/options'],
  'src/sv2': ['src/sv2/authority-key', 'src/sv2/options', 'src/sv2/provide/authority-file', 'src/sv2/serve/index'],
  'src/template': ['src/template/index', 'src/template/options', 'src/template/render-template', 'src/template/view/template-view'],
  'src/wallet': ['src/wallet/index', 'src/wallet/node-face', 'src/wallet/options-face'],
};

/**
 * Module → the files that modules other than the wiring may import. Each of these files is a face of its own: a codec, a
 * message, or one service (docs/decisions/0093-faces-of-modules.md). A new file here needs a reason.
 */
const files: Record<string, string> = {
  'src/jobs':
    'assemble-messages encode-transactions grind hash-tree hash-txs match-filters scan-blocks scan-coins script-marks sign ' +
    'sign-slab slab slab-pool verify verify-plan',
  'src/link': 'call-links call-quota front-counters front-link link messages method-counts running-call shared-state slab-ring',
  'src/parallel': 'assembler block-hasher block-scanner render-pool stop-flag verifier',
  'src/rpc':
    'declare/methods declare/types dispatch errors front/context front/known-batch front/known-replies front/request-router ' +
    'reads/read-job reads/render-job reads/unfilled rest/request wire/batch-reply wire/json-parse wire/json-write ' +
    'wire/long-reading wire/reply wire/request wire/values',
  'src/storage':
    'block-files block-records codec/coin codec/coin-element codec/coin-sets codec/index-row codec/rollback codec/script ' +
    'codec/undo codec/varint folder-lock layout open-store record-file replace-file scan-blocks store store-error ' +
    'sync-records write-batch write-stop xor-key',
};

/** Pure modules may not use a Node API either. */
const pure = [
  'src/crypto',
  'src/consensus',
  'src/filters',
  'src/policy',
  'src/address',
  'src/psbt',
  'src/selection',
  'src/sv2',
  'src/stratum',
];

/** Modules that may import everything, because they build the node. */
const wiring = ['src/node', 'src/aditd', 'src/adit-cli', 'src/adit-front'];

/** Written in AssemblyScript. The build compiles it into one WebAssembly module. */
const KERNEL = 'src/engine/kernel/';

function sources(folder: string): string[] {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name))
    .filter((file) => !file.startsWith(KERNEL));
}

/** Returns the longest module path of the table that contains a file or folder. */
function roomOf(file: string): string | undefined {
  const bare = file.replace(/\.(ts|js)$/, '');
  return [...Object.keys(mayImport), ...wiring]
    .filter((room) => bare === room || bare.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function importsOf(file: string): string[] {
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  return [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g,
    ),
  ].map((m) => (m[1] ?? m[2] ?? m[3])!);
}

t.test('every import is allowed by the table of modules', async (t) => {
  const wrong: string[] = [];
  let seen = 0;
  for (const file of sources('src')) {
    const room = roomOf(file);
    if (room === undefined) {
      wrong.push(`${file}: lies in no room of the table`);
      continue;
    }
    for (const target of importsOf(file)) {
      seen++;
      if (target.startsWith('.')) {
        const other = roomOf(path.normalize(path.join(path.dirname(file), target)));
        if (other === undefined) wrong.push(`${file}: imports ${target}, which lies in no room`);
        else if (
          other !== room &&
          !wiring.includes(room) &&
          !(other === 'src/lib' && !pure.includes(room)) &&
          !mayImport[room]!.includes(other)
        ) {
          wrong.push(`${file}: ${room} may not import ${other}`);
        }
      } else {
        if (target.startsWith('node:') && pure.includes(room)) wrong.push(`${file}: a pure room imports ${target}`);
        const name = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : target.split('/')[0]!;
        const door = doors[name];
        if (door && !door.some((allowed) => room === allowed || room.startsWith(`${allowed}/`)))
          wrong.push(`${file}: ${name} has another door`);
      }
    }
  }
  t.ok(seen > 100, 'the imports were found');
  t.same(wrong, []);
});

t.test('other modules import only the faces of a module', async (t) => {
  for (const [room, shown] of Object.entries(faces)) {
    const inside = (file: string): boolean => file.startsWith(`${room}/`);
    const behind = sources('src')
      .filter((file) => !inside(file))
      .flatMap((file) =>
        importsOf(file)
          .map((target) => path.normalize(path.join(path.dirname(file), target)).replace(/\.js$/, ''))
          .filter((target) => inside(target) && !shown.includes(target))
          .map((target) => `${file}: ${target}`),
      );
    t.same(behind, [], room);
    for (const face of shown) t.ok(fs.existsSync(path.join(root, `${face}.ts`)), face);
  }
});

t.test('modules other than the wiring import only the files of a module that are meant for them', async (t) => {
  for (const [room, names] of Object.entries(files)) {
    const shown = names.split(' ').map((name) => `${room}/${name}`);
    const imported = sources('src')
      .filter((file) => !file.startsWith(`${room}/`) && !wiring.includes(roomOf(file)!))
      .flatMap((file) => importsOf(file).map((target) => path.normalize(path.join(path.dirname(file), target)).replace(/\.js$/, '')))
      .filter((target) => target.startsWith(`${room}/`));
    t.same(
      [...new Set(imported)].filter((file) => !shown.includes(file)),
      [],
      `${room}: files that are not meant for other modules`,
    );
    t.same(
      shown.filter((file) => !imported.includes(file)),
      [],
      `${room}: files that no other module imports`,
    );
  }
});

t.test('each RPC method is one file with its declaration and its run function', async (t) => {
  const files = sources('src/rpc/methods').filter((file) => path.dirname(file) !== 'src/rpc/methods');
  t.ok(files.length > 100);
  const lacks = files.filter((file) => {
    const text = fs.readFileSync(path.join(root, file), 'utf8');
    const name = path.basename(file, '.ts');
    return (
      !text.includes('export const spec = declare({') ||
      !new RegExp(`^export (const|async function|function|\\{.*) ?\\b${name}\\b`, 'm').test(text)
    );
  });
  t.same(lacks, []);
});

t.test('a bundle with the declarations of RPC methods has only small pieces of what run functions import', async (t) => {
  const { metafile } = await build({
    stdin: { contents: "export { METHODS } from './build/src/rpc/declare/methods.js';", resolveDir: root },
    ...{ bundle: true, platform: 'node', format: 'esm', write: false, metafile: true },
    external: ['@nxtedition/rocksdb', 'koffi', 'piscina', 'rocksdb', 'secp256k1', 'tiny-secp256k1', 'zeromq'],
  });
  const pieces = Object.entries(Object.values(metafile.outputs)[0]!.inputs)
    .filter(([file, { bytesInOutput }]) => bytesInOutput > 0 && !/^build\/src\/(rpc\/(declare|methods)|policy)\//.test(file))
    .map(([file, { bytesInOutput }]) => ({ file, bytesInOutput }));
  t.ok(pieces.length > 0);
  t.same(
    pieces.filter(({ bytesInOutput }) => bytesInOutput > 2500),
    [],
  );
  t.ok(pieces.length <= 8, `from ${pieces.map(({ file }) => file).join(', ')}`);
});

t.test('workers have at most 30 lines of code', async (t) => {
  for (const file of sources('workers')) {
    const lines = fs
      .readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
    t.ok(lines.length <= 30, `${file} has ${lines.length} lines of code`);
  }
});

/** Returns `entries` and all files that they import, directly or indirectly. */
function reachedFrom(entries: readonly string[]): Set<string> {
  const reached = new Set(entries);
  for (const file of reached) {
    for (const target of importsOf(file)) {
      if (target.startsWith('.')) reached.add(path.normalize(path.join(path.dirname(file), target)).replace(/\.js$/, '.ts'));
    }
  }
  return reached;
}

/** Returns the files that `entries` load when they start. Imports of types load nothing, and import() loads later. */
function loadedBy(entries: readonly string[]): { reached: Set<string>; later: readonly string[] } {
  const reached = new Set(entries);
  const later: string[] = [];
  for (const file of reached) {
    const text = fs.readFileSync(path.join(root, file), 'utf8');
    const at = (target: string): string => path.normalize(path.join(path.dirname(file), target)).replace(/\.js$/, '.ts');
    for (const [, target] of text.matchAll(/(?:^|\n)\s*(?:import|export)\s(?!type\b)[^;'"]*?from\s+['"](\.[^'"]+)['"]/g))
      reached.add(at(target!));
    for (const [, target] of text.matchAll(/\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/g)) later.push(at(target!));
  }
  return { reached, later };
}

t.test('every file of src is reached from an entry', async (t) => {
  const entries = ['src/aditd.ts', 'src/adit-cli.ts', 'src/adit-front.ts', ...sources('workers')];
  const reached = reachedFrom(entries);
  t.same(
    sources('src')
      .filter((file) => !reached.has(file))
      .sort(),
    [],
    'every file of src is part of the node, its threads or the client',
  );
});

t.test("only the test framework imports fast-check, so that all properties use the run's seed", async (t) => {
  const direct = [...sources('test'), ...sources('bench')].filter((file) =>
    /from ['"]fast-check/.test(fs.readFileSync(path.join(root, file), 'utf8')),
  );
  t.same(direct, ['test/framework/fast-check.ts'], 'all others have fc from there');
});

t.test('a node without -fleet loads no file of src/fleet', async (t) => {
  const { reached, later } = loadedBy([
    'src/aditd.ts',
    'src/adit-cli.ts',
    ...sources('workers').filter((file) => file !== 'workers/fleet.ts'),
  ]);
  t.same(
    [...reached].filter((file) => file.startsWith('src/fleet/')),
    [],
  );
  t.ok(
    later.some((file) => file.startsWith('src/fleet/')),
    'what is loaded with -fleet was seen',
  );
});

t.test('every file of tests and benches is used by a test or bench', async (t) => {
  const files = [...sources('test'), ...sources('bench')];
  // Files that run as processes are named by their path elsewhere than in an import.
  const named = new Set<string>();
  for (const file of [...files, 'src/launch.mjs', 'test/run-tests.mjs', 'README.md']) {
    const text = fs.readFileSync(path.join(root, file), 'utf8').replaceAll(/(?:from |import )'[^']*'/g, '');
    for (const [, name] of text.matchAll(/[/']([\w-]+)\.js\b/g)) if (path.basename(file, '.ts') !== name) named.add(`${name}.ts`);
  }
  const started = files.filter((file) => named.has(path.basename(file)));
  const reached = reachedFrom(files.filter((file) => file.endsWith('.test.ts') || path.dirname(file) === 'bench').concat(started));
  t.same(
    files.filter((file) => !reached.has(file)),
    [],
  );
});

/**
 * Returns groups of files in which each leads to every other by imports, in any order (Tarjan's strongly connected
 * components).
 */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.size - 1);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group);
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

t.test('no file imports itself through others, types included', async (t) => {
  t.strictSame(
    circles(
      new Map([
        ['a', ['b']],
        ['b', ['c', 'd']],
        ['c', ['a']],
        ['d', []],
      ]),
    ),
    [['a', 'b', 'c']],
    'a circle is seen',
  );
  const graph = new Map(
    sources('src').map((file) => [
      file,
      importsOf(file)
        .filter((target) => target.startsWith('.'))
        .map((target) => path.join(path.dirname(file), target).replace(/\.js$/, '.ts')),
    ]),
  );
  t.ok(graph.size > 500);
  t.strictSame(circles(graph), []);
});
