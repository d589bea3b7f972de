// Has adit's script interpreter and Bitcoin Core's judge random spends, and prints where they differ.
//
//   npm run compare:interpreter -- --core=PATH [--version=31|0.21.1] [--spends=1000000] [--seed=1] [--batch=0]
//
// PATH is a Core source tree that was built; its interpreter runs in a process of its own (core-interpreter.ts), so that
// no node, block or call stands between. Every spend is judged by the flags of consensus, by those of policy and by some
// at random; the errors' texts are compared. A batch of spends is drawn from the seed and its own number: --batch begins
// at that of a difference. Exit status 1 when there was any.
import { parseArgs } from 'node:util';
import { CONSENSUS_SCRIPT_FLAGS, SCRIPT_FLAG_NAMES, STANDARD_SCRIPT_FLAGS } from '../../src/consensus/script/flags.js';
import { scriptErrorText } from '../../src/consensus/script/script-error.js';
import { SighashCache } from '../../src/consensus/script/sighash.js';
import { verifyTxInput } from '../../src/consensus/script/verify-input.js';
import { parseTx } from '../../src/consensus/tx/tx-view.js';
import type { Crypto } from '../../src/crypto/crypto.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { createSigner } from '../../src/crypto/native/sign.js';
import { testTaggedHash } from '../framework/keys.js';
import { type Out, serializeTx, TRUE_SCRIPT, type Tx } from '../framework/messages.js';
import { longRandom } from '../framework/pseudo-random.js';
import { CoreInterpreter } from './core-interpreter.js';
import { Differences } from './differences.js';
import { RandomSpends } from './random-spends.js';
import { Dice } from './transactions.js';

const { values } = parseArgs({
  options: {
    core: { type: 'string' },
    version: { type: 'string', default: '31' },
    spends: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    batch: { type: 'string', default: '0' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
if (values.core === undefined) {
  say('skipped: nothing is compared, because --core=PATH is not given');
  process.exit(0);
}
const [spends, seed, firstBatch] = [values.spends, values.seed, values.batch].map(Number) as [number, number, number];
const later = values.version !== '0.21.1';

const BATCH = 240;
const SPENDS_OF_LOCK = 4;
/** Spends that differ a little from one that was signed. */
const NEIGHBOURS = 2;
/** Number of batches by which the other interpreter may be behind. */
const MOST_PENDING = 3;
const MOST_KNOWN = 10_000;
const REPORT_EVERY = 100_000;
const FLAG_SETS = 3;
const [P2SH, CLEANSTACK, WITNESS] = ['P2SH', 'CLEANSTACK', 'WITNESS'].map(flagOf) as [number, number, number];
const ALL_FLAGS = 2 ** SCRIPT_FLAG_NAMES.length;
/** Most values set no relative lock, because a script with a lock fails for them. */
const SEQUENCES = [0xfffffffe, 0xfffffffe, 0xfffffffe, 0xffffffff, 0, 1, 2, 100, 144, 0x400001, 0x80000000];
const LOCKTIMES = [0, 0, 0, 1, 100, 144, 500_000_000, 0x7fffffff, 0xffffffff];
const VALUES = [0, 1, 546, 50_000, 2_100_000_000_000_000];
const ZEROS = new Uint8Array(32);

const native = createNativeCrypto();
/** Verifies each signature and each output key only once, as the other interpreter does. */
const crypto: Crypto = {
  ...native,
  ecdsaVerify: once(native.ecdsaVerify),
  schnorrVerify: once(native.schnorrVerify),
  tapTweakCheck: once(native.tapTweakCheck),
};
const signer = createSigner();

function once<Parts extends (Uint8Array | number)[]>(verify: (...parts: Parts) => boolean): (...parts: Parts) => boolean {
  const known = new Map<string, boolean>();
  return (...parts) => {
    const all = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : part))).toString('latin1');
    const before = known.get(all);
    if (before !== undefined) return before;
    if (known.size > MOST_KNOWN) known.clear();
    const verdict = verify(...parts);
    known.set(all, verdict);
    return verdict;
  };
}

function flagOf(name: string): number {
  return SCRIPT_FLAG_NAMES.find(([known]) => known === name)![1];
}

interface Spend {
  readonly wrap: string;
  readonly tx: Buffer;
  readonly input: number;
  readonly spent: readonly Out[];
  readonly flags: readonly number[];
}

function signed(secret: Uint8Array, hash: Uint8Array, tweak: Uint8Array | null): Uint8Array {
  const signature = signer.signSchnorr(secret, hash, tweak, ZEROS);
  if (signature === null) throw new Error('a test key does not sign');
  return signature;
}

/** Adds the flags that other flags require. */
function randomFlags(dice: Dice): number {
  const mask = dice.below(ALL_FLAGS);
  const flags = dice.chance(0.5) ? mask : mask | dice.below(ALL_FLAGS);
  const more = (flags & CLEANSTACK) !== 0 ? WITNESS | P2SH : (flags & WITNESS) !== 0 ? P2SH : 0;
  return flags | more;
}

function* batchOf(number: number): Generator<Spend> {
  const dice = new Dice(longRandom(seed, number));
  const random = new RandomSpends(dice, ({ secret, xonly }, hash, tweaked) =>
    signed(secret, hash, tweaked ? testTaggedHash('TapTweak', xonly) : null),
  );
  for (let i = 0; i < BATCH; i += SPENDS_OF_LOCK * (1 + NEIGHBOURS)) {
    const lock = random.lock();
    for (let j = 0; j < SPENDS_OF_LOCK; j++) {
      const count = dice.pick([1, 1, 1, 2, 3]);
      const input = dice.below(count);
      const spent = Array.from({ length: count }, (): Out => ({ value: dice.pick(VALUES), script: TRUE_SCRIPT }));
      spent[input]!.script = lock.script;
      const tx: Tx = {
        version: dice.pick([0, 1, 2, 2, 2, 3, -1]),
        ins: spent.map((_, k) => ({ txid: Buffer.alloc(32, 1 + dice.below(255)), index: k, sequence: dice.pick(SEQUENCES) })),
        outs: Array.from({ length: dice.pick([1, 1, 2, 3]) }, () => ({ value: dice.pick(VALUES), script: TRUE_SCRIPT })),
        locktime: dice.pick(LOCKTIMES),
      };
      let wrap: string = lock.wrap;
      if (dice.chance(0.01)) {
        const kind = dice.pick(['bare', 'p2sh'] as const);
        spent[input]!.script = random.selfSigned(tx, input, kind);
        wrap = `self-signed ${kind}`;
      } else random.open(tx, input, lock, spent);
      const flags = (): number[] => [CONSENSUS_SCRIPT_FLAGS, STANDARD_SCRIPT_FLAGS, randomFlags(dice)];
      yield { wrap, tx: serializeTx(tx), input, spent, flags: flags() };
      for (let k = 0; k < NEIGHBOURS; k++) {
        const near = random.neighbour(tx, input, spent);
        yield { wrap: `near ${wrap}`, tx: serializeTx(near.tx), input, spent: near.spent, flags: flags() };
      }
    }
  }
}

const u32 = (n: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(n);
  return out;
};

/** Encodes a spend in the format that interpreter.cpp reads. */
function encoded({ tx, input, spent, flags }: Spend): Buffer[] {
  const coins = spent.flatMap(({ value, script }) => {
    const head = Buffer.alloc(12);
    head.writeBigInt64LE(BigInt(value));
    head.writeUInt32LE(script.length, 8);
    return [head, Buffer.from(script)];
  });
  return [u32(tx.length), tx, u32(input), ...coins, u32(flags.length), ...flags.map(u32)];
}

function judged({ tx, input, spent, flags }: Spend): number[] {
  const view = parseTx(new Uint8Array(tx), crypto, { exact: true });
  // Use the class that the node uses: a Buffer's slice() is a view.
  const coins = spent.map(({ value, script }) => ({ value, script: new Uint8Array(script) }));
  const sighash = new SighashCache(view, crypto, coins);
  return flags.map((set) => verifyTxInput(view, input, coins, set, crypto, sighash));
}

const differences = new Differences();
const verdicts = new Map<string, number>();
let began = Date.now();
let done = 0;

function compare(batch: number, list: readonly Spend[], own: readonly number[][], answers: Buffer, texts: readonly string[]): void {
  if (answers.length !== list.length * FLAG_SETS) throw new Error(`${answers.length} answers to ${list.length} spends`);
  for (const [i, { wrap, tx, input, spent, flags }] of list.entries()) {
    for (const [j, set] of flags.entries()) {
      const core = texts[answers[i * FLAG_SETS + j]!]!;
      const adit = scriptErrorText(own[i]![j]!, later);
      verdicts.set(core, (verdicts.get(core) ?? 0) + 1);
      if (core === adit) continue;
      const names = SCRIPT_FLAG_NAMES.filter(([, flag]) => (set & flag) !== 0).map(([name]) => name);
      const coins = spent.map(({ value, script }) => `${value} ${Buffer.from(script).toString('hex')}`);
      const call = `${wrap}: input ${input} of ${tx.toString('hex')} on ${coins.join(', ')} by ${names.join(',')}`;
      differences.add({ what: wrap, step: batch, call, core, adit }, [`${core} <> ${adit}`]);
    }
  }
  const before = Math.floor(done / REPORT_EVERY);
  done += list.length;
  if (Math.floor(done / REPORT_EVERY) > before) {
    const rate = Math.round((done * 1000) / (Date.now() - began));
    process.stderr.write(`${done} spends, ${rate} a second: ${differences.count} differences\n`);
  }
}

const core = await CoreInterpreter.start(values.core);
began = Date.now();
try {
  const pending: (() => Promise<void>)[] = [];
  for (let batch = firstBatch; done + pending.length * BATCH < spends; batch++) {
    const list = [...batchOf(batch)];
    const answers = core.judge(Buffer.concat(list.flatMap(encoded)));
    // The batch is awaited later. This only prevents an unhandled rejection.
    answers.catch(() => undefined);
    // The data is written to the pipe in the next event-loop tick.
    await new Promise(setImmediate);
    const own = list.map(judged);
    pending.push(async () => compare(batch, list, own, await answers, core.texts));
    if (pending.length > MOST_PENDING) await pending.shift()!();
  }
  for (const one of pending) await one();
} catch (error) {
  say(`ended after ${done} spends: ${error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
} finally {
  core.end();
}
say('what the interpreters said, and how often:');
for (const [text, count] of [...verdicts].sort(([, a], [, b]) => b - a)) say(`  ${count} x ${text}`);
for (const line of differences.lines(seed)) say(line);
const seconds = ((Date.now() - began) / 1000).toFixed(0);
say(`${done} spends of seed ${seed}, ${done * FLAG_SETS} verdicts in ${seconds} s: ${differences.count} differences`);
if (differences.count > 0) process.exitCode = 1;
