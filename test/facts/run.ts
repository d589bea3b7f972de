// npm run facts -- --core=PATH [--write-seeds]: compares what adit knows of each network with a source tree of Bitcoin
// Core, and prints every difference. Those that are meant have their reason below; any other makes the exit code 1.
// --write-seeds takes over Core's fixed seeds. docs/contributing.md says when to run it.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { ChainName } from '../../src/consensus/params/chain-params.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { aditFacts } from './adit-facts.js';
import { coreFacts, coreSeeds } from './core-facts.js';

const NETWORKS: readonly ChainName[] = ['main', 'test', 'testnet4', 'signet', 'regtest'];
const SEEDS_FOLDER = path.resolve(import.meta.dirname, '../../../src/consensus/params/seeds');
const SEED_FILES: Readonly<Partial<Record<ChainName, string>>> = { main: 'main', test: 'testnet3', testnet4: 'testnet4', signet: 'signet' };
/** Characters of a line of base64. */
const LINE = 136;

const HEIGHTS = 'the default and 0.21.1 keep the heights of 0.21.1; -compat=31 sets them to 1';
const TAPROOT = 'taproot is shown as a deployment by 0.21.1; BIP-0054 is a deployment of adit, never active unless -vbparams says so';
/** Differences that are meant: NETWORK.FACT, or FACT for all networks. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['deployments', TAPROOT],
  ['regtest.bip34Height', HEIGHTS],
  ['regtest.bip65Height', HEIGHTS],
  ['regtest.bip66Height', HEIGHTS],
  ['regtest.csvHeight', HEIGHTS],
  ['regtest.dnsSeeds', "Core's only name there is one that never resolves"],
  ['regtest.enforceBip94', '-test=bip94 decides in both'],
]);

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const options = new Map(process.argv.slice(2).map((arg) => arg.split('=', 2) as [string, string | undefined]));
const core = options.get('--core') ?? fail('usage: npm run facts -- --core=PATH [--write-seeds]');
const read = (file: string): string => fs.readFileSync(path.resolve(process.env.INIT_CWD ?? '.', core, file), 'utf8');
const source = read('src/kernel/chainparams.cpp');
const seedSource = read('src/chainparamsseeds.h');

function writeSeeds(network: ChainName, seeds: Buffer): void {
  const file = SEED_FILES[network];
  if (file === undefined) return;
  const lines =
    seeds
      .toString('base64')
      .match(new RegExp(`.{1,${LINE}}`, 'g'))
      ?.join('\n') ?? '';
  const text = `// Addresses of nodes with a long uptime, for a node that knows no address and gets none from DNS.
// Facts from Bitcoin Core's contrib/seeds, written by \`npm run facts -- --core=PATH --write-seeds\`. Base64 (line ends
// do not count) of records as in BIP-0155, one after the other: network 1 | length of the address 1 | address | port 2,
// big-endian. net/peer/auto-connect.ts reads them.

/** Fixed seeds of the network that Core calls ${network}. */
export const ${file.toUpperCase()}_FIXED_SEEDS = \`
${lines}\`;
`;
  fs.writeFileSync(path.join(SEEDS_FOLDER, `${file}.ts`), text);
}

let unexpected = 0;
let compared = 0;
function compare(network: ChainName, name: string, ours: string | undefined, theirs: string | undefined): void {
  compared++;
  if (ours === theirs) return;
  const reason = MEANT.get(`${network}.${name}`) ?? MEANT.get(name);
  if (reason === undefined) unexpected++;
  const shown = (value: string | undefined): string => (value === undefined ? 'not found' : value.replaceAll('\n', ', ') || 'none');
  process.stdout.write(`${reason === undefined ? 'DIFF ' : 'meant'} ${network}.${name}\n  adit ${shown(ours)}\n  core ${shown(theirs)}\n`);
  if (reason !== undefined) process.stdout.write(`  ${reason}\n`);
}

for (const network of NETWORKS) {
  const seeds = coreSeeds(seedSource, network);
  if (options.has('--write-seeds')) writeSeeds(network, seeds);
  const ours = aditFacts(network);
  const theirs = coreFacts(source, network);
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    // Core writes nothing where a list is empty, and hashes of zeros in either way.
    compare(
      network,
      name,
      ours[name]?.replace(/^0*$/, (zeros) => (zeros.length > 1 ? '' : zeros)),
      theirs[name] ?? (ours[name] === '' ? '' : undefined),
    );
  }
  const digest = (bytes: Uint8Array): string => `${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}`;
  compare(network, 'fixedSeeds', digest(Buffer.from(chainParams(network).fixedSeeds, 'base64')), digest(seeds));
}
process.stdout.write(`${compared} facts compared, ${unexpected} differ that should not\n`);
process.exitCode = unexpected > 0 ? 1 : 0;
