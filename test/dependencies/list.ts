// The packages that package-lock.json names, as a page for docs/dependencies.md, and what is wrong with them. Works
// without a network: the lock file has licences and digests, and what is installed is compared with it.
import fs from 'node:fs';
import path from 'node:path';

/** Entry of a package in the lock file. */
export interface LockEntry {
  /** Only where it is installed under another name. */
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
}

/** SPDX identifiers. MPL-2.0 covers libzmq's own files, which are used as they come. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-3.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MPL-2.0',
  'Unlicense',
]);
/** Packages whose package.json names no licence, with that of the licence file that they carry. */
const READ_BY_HAND: ReadonlyMap<string, string> = new Map([['jsonc-simple-parser 3.0.0', 'MIT']]);
const DIGEST = /^sha512-[A-Za-z0-9+/]{86}==$/;

export type Lock = Readonly<Record<string, LockEntry>>;

/** Entries of a lock file by their places, without the project itself. */
export function readLock(root: string): Lock {
  const { '': _, ...entries } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  return entries;
}

const placeName = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
const nameOf = (place: string, { name }: LockEntry): string => name ?? placeName(place);
const licenceOf = (place: string, entry: LockEntry): string | undefined =>
  entry.license ?? READ_BY_HAND.get(`${nameOf(place, entry)} ${entry.version}`);

/** An expression of SPDX identifiers without exceptions: one side of an OR is enough, an AND needs both. */
export function isAllowed(licence: string): boolean {
  const sides = licence.replace(/[()]/g, '').split(' OR ');
  return sides.some((side) => side.split(' AND ').every((one) => ALLOWED.has(one)));
}

/**
 * Lists the faults of a lock file's entries, one line each.
 * @param root folder of the installed packages; packages may be absent
 */
export function faultsOf(lock: Lock, root: string): string[] {
  return Object.entries(lock).flatMap(([place, entry]) => {
    const licence = licenceOf(place, entry);
    const faults: string[] = [];
    if (entry.integrity === undefined || !DIGEST.test(entry.integrity)) faults.push('no sha512 digest');
    if (licence === undefined) faults.push('no licence');
    else if (!isAllowed(licence)) faults.push(`the licence ${licence} is not on the list`);
    if (entry.resolved !== undefined) faults.push('a place to fetch it from: npm fetches from the registry that the user has set');
    const file = path.join(root, place, 'package.json');
    if (fs.existsSync(file)) {
      const { version, license } = JSON.parse(fs.readFileSync(file, 'utf8'));
      if (version !== entry.version || license !== entry.license) faults.push(`${version}, ${license} is installed`);
    }
    return faults.map((fault) => `${place} ${entry.version}: ${fault}`);
  });
}

/** Packages once each, by name and version. */
function rows(lock: Lock, wanted: (entry: LockEntry) => boolean): { name: string; licence: string; integrity: string }[] {
  const found = Object.entries(lock).filter(([, entry]) => wanted(entry));
  const byName = found.map(([place, entry]) => {
    const alias = entry.name === undefined ? '' : ` (as ${placeName(place)})`;
    const name = `${nameOf(place, entry)} ${entry.version}${alias}`;
    return { name, licence: licenceOf(place, entry) ?? 'none', integrity: entry.integrity ?? 'none' };
  });
  const once = new Map(byName.map((row) => [row.name, row]));
  return [...once.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names in lines of at most 120 columns. */
function wrapped(names: readonly string[]): string {
  const lines = [''];
  for (const [i, name] of names.entries()) {
    const piece = i < names.length - 1 ? `${name},` : name;
    const line = lines.at(-1)!;
    if (line !== '' && line.length + 1 + piece.length > 120) lines.push(piece);
    else lines[lines.length - 1] = line === '' ? piece : `${line} ${piece}`;
  }
  return lines.join('\n');
}

/** The page, in Markdown. */
export function dependenciesPage(lock: Lock): string {
  const runs = rows(lock, ({ dev }) => dev !== true);
  const builds = rows(lock, ({ dev }) => dev === true);
  const licences = [...new Set(builds.map(({ licence }) => licence))].sort();
  const groups = licences.map((licence) => {
    const names = builds.filter((row) => row.licence === licence).map(({ name }) => name);
    return `**${licence}** (${names.length})\n\n${wrapped(names)}\n`;
  });
  return `# Dependencies

\`npm run licences\` writes this page from package-lock.json. \`npm test\` fails in these cases:

- this page is out of date
- a package has no digest
- the licence of a package is not on the list of \`test/dependencies/list.ts\`
- an installed package has another version or licence than package-lock.json says

npm refuses a package whose bytes do not have the digest of the lock file. package.json disables the install scripts of
packages (\`allowScripts\`). npm versions that do not know this member run them.

\`npm audit --omit=dev\` asks the registry for known vulnerabilities of the packages that a node runs with. Not every
registry supports this. The audit may report elliptic, which the package secp256k1 uses when its native part is missing.
adit loads only the native part.

## Packages that a node runs with (${runs.length})

The list has the binaries of all platforms. npm installs those of your platform.

| package | licence | digest |
| --- | --- | --- |
${runs.map(({ name, licence, integrity }) => `| ${name} | ${licence} | \`${integrity}\` |`).join('\n')}

## Further packages for building and testing (${builds.length})

Their digests are in package-lock.json.

${groups.join('\n')}`;
}
