// Limits of classes. No class has more than 25 public members: one with more usually does a second job that deserves its
// own class. No class has a public callback that others set after its construction: callbacks are parameters of the
// constructor, and events have listeners. The exceptions of both rules may only shrink.
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'acorn';
import t from 'tap';

const root = path.resolve(import.meta.dirname, '../../../..');
const MOST = 25;

/**
 * Classes with more members than the limit, and the number that each may have. Lower a number when members are removed;
 * remove a row at 25.
 */
const EXCEPTIONS: Readonly<Record<string, number>> = {
  'chain/tree/block-index BlockIndex': 36,
  'chain/tree/header-node HeaderNode': 28,
  'consensus/tx/tx-view TxView': 44,
  'http/front/exchange Exchange': 26,
  'mempool/entry MempoolEntry': 27,
  'mempool/mempool Mempool': 47,
  'net/peer/peer Peer': 45,
  'node/inline-node-client InlineNodeClient': 39,
  'sv2/serve/client Client': 37,
  'wallet/coins/ledger Ledger': 34,
  'wallet/coins/tx-table TxTable': 54,
  'wallet/keys/descriptor-keys DescriptorKeys': 34,
  'wallet/keys/key-table KeyTable': 28,
  'wallet/keys/legacy-keys LegacyKeys': 45,
  'wallet/linked-node-client LinkedNodeClient': 32,
};

/** Callbacks that are still set from outside. */
const LATE_CALLBACKS: ReadonlySet<string> = new Set([
  'link/slab-ring onExhausted',
  'link/slab-ring onGrow',
  'node/node-stop requestStop',
  'template/view/template-view onAborted',
]);

type Node = { readonly type: string; readonly [member: string]: unknown };
const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';

/**
 * Returns the public names of a class: fields, methods and accessors without '#'. A getter and its setter count as one
 * name.
 */
function publicNames(body: readonly Node[]): Set<string> {
  const shown = body.filter(
    ({ type, kind, key }) => type !== 'StaticBlock' && kind !== 'constructor' && isNode(key) && key.type !== 'PrivateIdentifier',
  );
  return new Set(shown.map(({ key }) => JSON.stringify((key as Node).name ?? (key as Node).value ?? key)));
}

/** Calls `found` for each class of a syntax tree. */
function eachClass(node: Node, found: (name: string, members: number) => void): void {
  if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
    const { name } = (node.id ?? { name: '(no name)' }) as { name: string };
    found(name, publicNames((node.body as Node).body as Node[]).size);
  }
  for (const value of Object.values(node))
    for (const inner of Array.isArray(value) ? value : [value]) if (isNode(inner)) eachClass(inner, found);
}

/** Returns the number of public members of each class in a compiled text. */
function count(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  eachClass(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }) as unknown as Node, (name, members) => counts.set(name, members));
  return counts;
}

/** Paths of all source files below src, without their endings. */
const sources = fs
  .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.startsWith('engine/kernel/'))
  .map((file) => file.slice(0, -3));

/** Finds a member that is not readonly and whose type is a function. */
const CALLBACK = /^ {2}(\w+): (?:\(.*\) => [^=\n]+ = .*|\(\(.*\) => .+\) \| (?:null|undefined).*)(?:;|\{)$/gm;

t.test('no class has more public members than it may', async (t) => {
  const counts = new Map<string, number>();
  for (const name of sources) {
    const text = fs.readFileSync(path.join(root, 'build/src', `${name}.js`), 'utf8');
    if (!/\bclass\b/.test(text)) continue;
    for (const [type, members] of count(text)) counts.set(`${name} ${type}`, members);
  }
  t.ok(counts.size > 300, `${counts.size} classes`);
  const over = [...counts].filter(([name, members]) => members > (EXCEPTIONS[name] ?? MOST));
  t.same(over, [], 'split the class; do not raise its number');
  const needless = Object.keys(EXCEPTIONS).filter((name) => (counts.get(name) ?? 0) <= MOST);
  t.same(needless, [], 'remove exceptions that are no longer needed');
});

t.test('no class has callbacks that are set after its construction', async (t) => {
  const late = sources.flatMap((name) => {
    const text = fs.readFileSync(path.join(root, 'src', `${name}.ts`), 'utf8');
    return [...text.matchAll(CALLBACK)].map(([, member]) => `${name} ${member}`);
  });
  t.same(
    late.filter((name) => !LATE_CALLBACKS.has(name)),
    [],
  );
  t.same(
    [...LATE_CALLBACKS].filter((name) => !late.includes(name)),
    [],
    'remove exceptions that are no longer needed',
  );
});

t.test('counts fields, methods and accessors, and leaves out private ones and the constructor', async (t) => {
  const text = `export class Box {
    static made = 0; size = 1; #weight = 2;
    static { Box.made = 1; }
    constructor() {}
    get open() { return true; } set open(value) {}
    close() { return class { one() {} two() {} }; } #shut() {}
  }`;
  t.same(
    [...count(text)],
    [
      ['Box', 4],
      ['(no name)', 2],
    ],
  );
});
