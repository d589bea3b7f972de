// Files of the vector folder that no suite reads would go unnoticed: each is either read, or there is a reason.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { VECTORS, vectorPath } from '../framework/vector-suite.js';

const root = join(import.meta.dirname, '../../..');

/** Vectors that do not apply to adit. */
const NOT_APPLICABLE: readonly (readonly [RegExp, string])[] = [
  [/^(README|manifest|LICENSES\/|.*\/README)/, 'no vectors'],
  [/^sv2\/LICENSE/, 'no vectors'],
  [/^bip39\//, 'adit makes and reads no mnemonics; seeds come as extended keys or HD seeds'],
  [/^address\/bip69_/, 'adit does not sort inputs and outputs, as Bitcoin Core does not: they are shuffled'],
];
/** Files that suites find by patterns rather than by name. */
const BY_PATTERN: readonly RegExp[] = [
  /^transaction\/large\//,
  /^chains\/.+\.hex$/,
  /^chainparams\/.+\.json$/,
  /^headers\/.+\.bin$/,
  /^p2p\/(compact_block|merkleblock)_\d+\.bin$/,
  /^blocks\/(plain|with-spent-outputs)\/.+\.(bin|json)$/,
];

const sources = ['test/vectors', 'test/unit']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)))
  .filter((name) => name.endsWith('.test.ts') && name !== join(root, 'test/vectors/unread.test.ts'))
  .map((name) => readFileSync(name, 'utf8'))
  .join('\n');

t.test('reads every vector file, or states why not', { skip: vectorPath('') === null && `${VECTORS} is not there` }, async (t) => {
  const files = readdirSync(VECTORS, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  t.ok(files.length > 0, `${VECTORS} has files`);
  for (const entry of files) {
    const folder = entry.parentPath ?? entry.path;
    const name = join(folder, entry.name).slice(join(VECTORS, '/').length).replace(/\.gz$/, '');
    const reason = NOT_APPLICABLE.find(([pattern]) => pattern.test(name))?.[1];
    if (reason !== undefined) t.comment(`${name}: ${reason}`);
    else if (BY_PATTERN.some((pattern) => pattern.test(name)) || sources.includes(name)) t.pass(name);
    else t.pass(name, { skip: 'no suite reads it' });
  }
});
