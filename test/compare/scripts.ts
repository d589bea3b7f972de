// Lets Adit and a bitcoind of the version that -compat names check random scripts, and prints where they differ.
//
//   npm run compare:script -- --bitcoind=PATH [--version=31|0.21.1] [--spends=20000] [--seed=1]
//
// Coins are locked by random scripts in a block; each is spent in several ways. Both nodes check every spend twice: by
// policy (testmempoolaccept) and by consensus (a proposed block), and the replies are compared as text. Exit status 1
// when there was any difference.
import { parseArgs } from 'node:util';
import { CoreDaemon } from '../../bench/harness/core-daemon.js';
import { Daemon } from '../framework/daemon.js';
import { type Out, TRUE_SCRIPT, type Tx } from '../framework/messages.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { bitcoindOf } from './chains.js';
import { buildBlock, made, unlock } from './coins.js';
import { canonical, contrast, Differences } from './differences.js';
import { Ledger } from './ledger.js';
import { RandomSpends } from './random-spends.js';
import { Dice } from './transactions.js';

const { values } = parseArgs({
  options: {
    bitcoind: { type: 'string' },
    version: { type: 'string', default: '31' },
    spends: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  },
});
const spends = Number(values.spends);
const seed = Number(values.seed);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const bitcoind = bitcoindOf(values);

/** Number of blocks at the beginning. Each batch spends the coinbase of one of them. */
const FIRST_BLOCKS = 110;
const START_TIME = 1_780_000_000;
const LOCKS = 50;
const SPENDS_OF_LOCK = 6;
const VALUE = 50_000;
const FEE = 10_000;
/** Most values set no lock, because a transaction that is not final is refused before its scripts run. */
const SEQUENCES = [...new Array<number>(8).fill(0xfffffffe), 0xffffffff, 0xffffffff, 0, 1, 1, 2, 0x400001];
const LOCKTIMES = [0, 0, 0, 1, 100, 500_000_000];

// Nonstandard scripts are checked too.
const core = await CoreDaemon.start(bitcoind, '-acceptnonstdtxn=1');
const adit = await Daemon.start(`-compat=${values.version}`, '-acceptnonstdtxn=1').catch(async (error: unknown) => {
  await core.end();
  throw error;
});
const nodes = [core, adit] as const;
const differences = new Differences();
const dice = new Dice(pseudoRandom(seed));
const random = new RandomSpends(dice);
let judged = 0;

/** Gets the verdict of both nodes. @param what description of the spend */
async function ask(what: string, shown: string, method: string, ...params: unknown[]): Promise<void> {
  const [ofCore, ofAdit] = (await Promise.all(nodes.map((node) => node.call(method, ...params)))).map(canonical);
  differences.saw(typeof ofCore === 'string' ? { error: `in a block: ${ofCore}` } : ofCore);
  const members = contrast(ofCore, ofAdit);
  if (members.length === 0) return;
  differences.add({ what, step: judged, call: shown, core: JSON.stringify(ofCore), adit: JSON.stringify(ofAdit) }, members);
}

try {
  const ledger = new Ledger(await core.call('getblockhash', 0), START_TIME);
  const connect = async (block: ReturnType<Ledger['next']>): Promise<void> => {
    for (const node of nodes) {
      await node.call('setmocktime', block.time);
      const verdict = await node.call('submitblock', block.hex);
      if (verdict !== null) throw new Error(`block ${block.height} is refused: ${verdict}`);
    }
    ledger.connect(block);
  };
  for (let i = 0; i < FIRST_BLOCKS; i++) await connect(ledger.next([], 1));
  while (judged < spends) {
    const [coin] = [...ledger.coins.values()].filter(({ lock, value }) => lock === 'true' && value > LOCKS * VALUE);
    if (coin === undefined) throw new Error('no coin is left');
    const locks = Array.from({ length: LOCKS }, () => random.lock());
    const outs: Out[] = locks.map(({ script }) => ({ value: VALUE, script }));
    const change: Out = { value: coin.value - LOCKS * VALUE - FEE, script: TRUE_SCRIPT };
    const ins = [{ txid: coin.txid, index: coin.index, sequence: 0xfffffffe }];
    const fund = unlock({ version: 2, ins, outs: [...outs, change], locktime: 0 }, [coin]);
    await connect(ledger.next([fund], 1));
    const txid = Buffer.from(fund.id, 'hex').reverse();
    for (let i = 0; i < LOCKS * SPENDS_OF_LOCK; i++) {
      const index = i % LOCKS;
      const lock = locks[index]!;
      const tx: Tx = {
        version: dice.pick([1, 2, 2]),
        ins: [{ txid, index, sequence: dice.pick(SEQUENCES) }],
        outs: Array.from({ length: dice.pick([1, 1, 2]) }, () => ({ value: FEE, script: TRUE_SCRIPT })),
        locktime: dice.pick(LOCKTIMES),
      };
      random.open(tx, 0, lock, [outs[index]!]);
      judged++;
      const spend = made(tx);
      const shown = `${lock.wrap} ${lock.script.toString('hex')} by ${spend.hex}`;
      await ask('policy', shown, 'testmempoolaccept', [spend.hex], 0);
      const block = buildBlock(ledger.tip, ledger.height + 1, ledger.blocks.at(-1)!.time + 1, [spend], 1);
      await ask('consensus', shown, 'getblocktemplate', { mode: 'proposal', data: block.hex, rules: ['segwit'] });
      if (judged % 5000 === 0) process.stderr.write(`${judged} spends: ${differences.count} differences\n`);
    }
  }
} catch (error) {
  say(`ended at spend ${judged}: ${error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
} finally {
  await Promise.all([core.end(), adit.remove()]);
}
say('what bitcoind refused, and how often:');
for (const line of differences.refusals()) say(`  ${line}`);
for (const line of differences.lines(seed)) say(line);
say(`${judged} spends of seed ${seed}: ${differences.count} differences`);
if (differences.count > 0) process.exitCode = 1;
