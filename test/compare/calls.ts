// Makes the same random calls of adit and of a bitcoind of the version that -compat names, and prints where the replies
// differ: bytes and texts that are parsed, proofs, PSBTs, descriptors, amounts (call-lanes.ts).
//
//   npm run compare:calls -- --bitcoind=PATH [--version=31|0.21.1] [--calls=20000] [--seed=1]
//                            [--only=bytes,proofs,psbts,descriptors,amounts] [--chains=1 --minutes=60 --jobs=1]
//
// A chain is made first and stays. Calls go in batches, each of one lane. Help pages are ours: of an error that prints
// one only the code is compared. Exit status 1 when there was any difference.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { LANES } from './call-lanes.js';
import { beginChain } from './chains.js';
import type { Made } from './coins.js';
import { canonical, contrast, Differences } from './differences.js';
import { Ledger } from './ledger.js';
import { type Call, Nodes, replies, written } from './nodes.js';
import { Pool } from './pool.js';
import { Dice, Transactions } from './transactions.js';

const { values } = parseArgs({
  options: {
    bitcoind: { type: 'string' },
    version: { type: 'string', default: '31' },
    calls: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: Object.keys(LANES).join(',') },
    chains: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    jobs: { type: 'string', default: '1' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const [wanted, seed] = [Number(values.calls), Number(values.seed)];
const options = (['version', 'calls', 'only'] as const).map((name) => `--${name}=${values[name]}`);
const bitcoind = await beginChain(fileURLToPath(import.meta.url), values, options);

const FIRST_BLOCKS = 110;
const COINS = 20;
const FULL_BLOCKS = 15;
const START_TIME = 1_780_000_000;
const BATCH = 100;

const nodes = await Nodes.start(bitcoind, values.version);
const differences = new Differences();
const dice = new Dice(pseudoRandom(seed));
let made = 0;

/** Joined PSBTs are shuffled, and Core loses their global xpubs. Help pages have our words. */
function comparable([method]: Call, reply: unknown): unknown {
  if (method === 'joinpsbts' && typeof reply === 'string') return 'joined';
  const { error } = (reply ?? {}) as { error?: unknown };
  return typeof error === 'string' && /^-1 .*\n/.test(error) ? { error: '-1 and its help' } : reply;
}

/** Returns true if the replies differ in private keys alone, which adit's errors do not repeat. */
function hidesKeys(core: unknown, adit: unknown): boolean {
  const parts = JSON.stringify(adit).split('(private key)');
  const text = JSON.stringify(core);
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return parts.length > 1;
}

async function compare(name: string, calls: readonly Call[]): Promise<unknown[]> {
  const ofCore = (await replies(nodes.core, calls)).map(canonical);
  // Methods that the release does not have change nothing there, so they must not here.
  const has = (at: number): boolean => !JSON.stringify(ofCore[at]).includes('-32601');
  const given = (
    await replies(
      nodes.adit,
      calls.map((call, i): Call => (has(i) ? call : ['echo'])),
    )
  ).map(canonical);
  const ofAdit = given.map((reply, i) => (has(i) ? reply : ofCore[i]));
  calls.forEach((call, i) => {
    const [core, adit] = [comparable(call, ofCore[i]), comparable(call, ofAdit[i])];
    differences.saw(core);
    const members = contrast(core, adit);
    if (members.length === 0 || hidesKeys(core, adit)) return;
    const shown = { step: made + i, call: written(call), core: JSON.stringify(core), adit: JSON.stringify(adit) };
    differences.add({ what: `${name} ${call[0]}`, ...shown }, members);
  });
  made += calls.length;
  return ofCore;
}

try {
  const ledger = new Ledger(await nodes.core.call('getblockhash', 0), START_TIME);
  const txs = new Transactions(dice, ledger, new Pool(ledger));
  for (let i = 0; i < FIRST_BLOCKS + FULL_BLOCKS; i++) {
    const found = new Map<string, Made>();
    for (let n = i < FIRST_BLOCKS ? 0 : dice.below(12); n > 0; n--) {
      const spent = txs.confirmed();
      found.set(spent.outpoint, txs.build({ spends: [spent], outs: [], fee: (size) => size }));
    }
    const block = ledger.next([...found.values()], COINS);
    ledger.keep(block.coinbase);
    await compare('chain', [
      ['setmocktime', block.time],
      ['submitblock', block.hex],
    ]);
    ledger.connect(block);
  }
  await compare('chain', [['getbestblockhash']]);
  made = 0;
  const lanes = values.only.split(',').map((name) => {
    const Lane = LANES[name];
    if (Lane === undefined) throw new Error(`--only=${name}: there is no such lane`);
    return { name, lane: new Lane({ dice, ledger, txs }) };
  });
  while (made < wanted) {
    const { name, lane } = lanes[(made / BATCH) % lanes.length]!;
    const calls = Array.from({ length: BATCH }, () => lane.next());
    const brought = await compare(name, calls);
    for (const [i, call] of calls.entries()) lane.learn?.(call, brought[i]);
    if (made % 5000 === 0) process.stderr.write(`call ${made}: ${differences.count} differences\n`);
  }
} catch (error) {
  say(`ended at step ${made}: ${error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
} finally {
  await nodes.end();
}
say('what bitcoind refused, and how often:');
for (const line of differences.refusals()) say(`  ${line}`);
for (const line of differences.lines(seed)) say(line);
say(`${made} steps of seed ${seed}: ${differences.count} differences`);
if (differences.count > 0) process.exitCode = 1;
