// Blocks that break one rule each, and copies of a block that have its hash and other bytes.

import { hash256, serializeTx, type Tx } from '../framework/messages.js';
import { type Block, type Coin, type Made, made, type Twist } from './coins.js';
import type { Ledger } from './ledger.js';
import type { Dice, Transactions } from './transactions.js';

/** An invalid block without its transactions. */
interface Wrong {
  readonly txs?: readonly Made[];
  readonly twist?: Twist;
}

interface Sources {
  readonly dice: Dice;
  readonly ledger: Ledger;
  readonly txs: Transactions;
}

const KEYLESS = new Set<Coin['lock']>(['true', 'drop', 'p2sh']);
const COINBASE_MATURITY = 100;
const TWO_HOURS = 7200;
/** Each check has a cost of four; a block may have a cost of 80,000. */
const SIGNATURE_CHECKS = 20_001;
const MAX_MONEY = 21e14;

/** Makes a transaction that spends a coin without a key, and changes it. */
function wrongTx({ txs, ledger }: Sources, change: (tx: Tx, coin: Coin) => Partial<Tx>): Made {
  const coin = ledger.spendable.find(({ lock }) => KEYLESS.has(lock)) ?? txs.confirmed();
  const { tx, spent } = txs.build({ spends: [coin], version: 2, outs: [], into: 2 });
  return made({ ...tx, ...change(tx, coin) }, spent);
}

const firstOut = (tx: Tx, value: number): Partial<Tx> => ({ outs: [{ ...tx.outs[0]!, value }, ...tx.outs.slice(1)] });
const firstIn = (tx: Tx, change: Partial<Tx['ins'][number]>): Partial<Tx> => ({ ins: [{ ...tx.ins[0]!, ...change }] });
const tx =
  (change: (tx: Tx, coin: Coin) => Partial<Tx>) =>
  (from: Sources): Wrong => ({ txs: [wrongTx(from, change)] });
const coinbase = (change: (tx: Tx) => Partial<Tx>) => (): Wrong => ({ twist: { coinbase: (made) => ({ ...made, ...change(made) }) } });

/** Invalid blocks, by the rule that they break. */
const WRONG: Readonly<Record<string, (from: Sources) => Wrong>> = {
  difficulty: () => ({ twist: { header: { bits: 0x207ffffe } } }),
  'proof of work': () => ({ twist: { unsolved: true } }),
  'time too old': ({ ledger }) => ({ twist: { header: { time: ledger.medianTime() } } }),
  'time too new': ({ ledger }) => ({ twist: { header: { time: ledger.time + TWO_HOURS + 61 } } }),
  version: ({ dice }) => ({ twist: { header: { version: dice.pick([0, 1, 2, 3]) } } }),
  'merkle root': () => ({ twist: { root: (root) => Buffer.from(root.map((byte) => byte ^ 1)) } }),
  'no transactions': () => ({ twist: { listed: () => [] } }),
  'no coinbase': (from) => ({ txs: [wrongTx(from, () => ({}))], twist: { listed: (list) => list.slice(1) } }),
  'two coinbases': () => ({ twist: { listed: (list) => [...list, list[0]!] } }),
  'short coinbase': coinbase((one) => firstIn(one, { script: Buffer.of(0x51) })),
  'long coinbase': coinbase((one) => firstIn(one, { script: Buffer.concat([one.ins[0]!.script!, Buffer.alloc(101)]) })),
  height: coinbase((one) => firstIn(one, { script: Buffer.concat([Buffer.of(2, 0xff, 0x7f), one.ins[0]!.script!]) })),
  reward: coinbase((one) => firstOut(one, one.outs[0]!.value + 5e9)),
  'coinbase not final': coinbase((one) => ({ ...firstIn(one, { sequence: 0 }), locktime: 1_000_000 })),
  'witness nonce': coinbase((one) => firstIn(one, { witness: [Buffer.alloc(31)] })),
  'no witness nonce': coinbase((one) => firstIn(one, { witness: [] })),
  commitment: coinbase((one) => ({
    outs: one.outs.map((out) => (out.value === 0 ? { ...out, script: Buffer.from(out.script).fill(1, 6) } : out)),
  })),
  'witness without commitment': (from) => ({
    txs: [wrongTx(from, () => ({}))],
    twist: { coinbase: (one) => ({ ...one, ...firstIn(one, { witness: [] }), outs: one.outs.filter(({ value }) => value > 0) }) },
  }),
  'signature checks': coinbase((one) => ({ outs: [...one.outs, { value: 0, script: Buffer.alloc(SIGNATURE_CHECKS, 0xac) }] })),
  'no inputs': tx(() => ({ ins: [] })),
  'no outputs': tx(() => ({ outs: [] })),
  'negative output': tx((one) => firstOut(one, -1)),
  'output above all money': tx((one) => firstOut(one, MAX_MONEY + 1)),
  'outputs above all money': tx((one) => ({ outs: one.outs.map((out) => ({ ...out, value: MAX_MONEY })) })),
  'more out than in': tx((one, { value }) => firstOut(one, value + 1)),
  'an input twice': tx((one) => ({ ins: [one.ins[0]!, one.ins[0]!] })),
  'an input of nothing': tx((one) => ({ ins: [one.ins[0]!, { txid: Buffer.alloc(32), index: 0xffffffff }] })),
  'missing input': tx((one) => firstIn(one, { txid: hash256(one.ins[0]!.txid) })),
  'missing output': tx((one) => firstIn(one, { index: 5000 })),
  'not final': tx((one) => ({ ...firstIn(one, { sequence: 0 }), locktime: 1_000_000 })),
  'relative lock': tx((one) => firstIn(one, { sequence: 60_000 })),
  'failing script': tx((one) => firstIn(one, { witness: [Buffer.of(0x52)], script: Buffer.alloc(0) })),
  'failing scriptSig': tx((one) => firstIn(one, { script: Buffer.of(0x6a) })),
  'spent twice': (from) => {
    const first = wrongTx(from, () => ({}));
    return { txs: [first, made({ ...first.tx, locktime: 1 }, first.spent)] };
  },
  'child first': (from) => {
    const parent = wrongTx(from, () => ({}));
    return { txs: [from.txs.build({ spends: parent.coins.slice(0, 1), outs: [] }), parent] };
  },
  'young coinbase': ({ ledger, txs, dice }) => {
    const { coins } = ledger.blocks[ledger.height - 1 - dice.below(COINBASE_MATURITY - 1)]!.coinbase;
    return { txs: [txs.build({ spends: coins.slice(0, 1), version: 2, outs: [] })] };
  },
  'spent before': ({ ledger, txs, dice }) => {
    const { spent } = dice.pick([...ledger.blocks[dice.below(ledger.height)]!.txs, wrongTx({ ledger, txs, dice }, () => ({}))]);
    return { txs: [txs.build({ spends: spent.slice(0, 1), version: 2, outs: [] })] };
  },
};

/** Makes a block on the tip, or on another block, that breaks a rule. @param txs other transactions in it */
export function wrongBlock(from: Sources, txs: readonly Made[], coins: number, on?: Block): { name: string; block: Block } {
  const name = from.dice.pick(Object.keys(WRONG));
  const wrong = WRONG[name]!(from);
  const own = wrong.txs ?? [];
  const taken = new Set(own.flatMap(({ spent }) => spent.map(({ outpoint }) => outpoint)));
  const rest = own.length === 0 ? txs : txs.filter(({ spent }) => !spent.some(({ outpoint }) => taken.has(outpoint))).slice(0, 3);
  return { name, block: from.ledger.next(from.dice.chance(0.5) ? [...rest, ...own] : own, coins, wrong.twist, on) };
}

const withWitness = ({ tx }: Made, witness: Buffer[]): Buffer =>
  serializeTx({ ...tx, ins: [{ ...tx.ins[0]!, witness }, ...tx.ins.slice(1)] });

/** Changed copies of a block, by the kind of change; null if the block does not allow this change. */
const COPIES: Readonly<Record<string, (block: Block, dice: Dice) => Buffer[] | null>> = {
  'another witness nonce': ({ coinbase, body }) => [withWitness(coinbase, [Buffer.alloc(32, 1)]), ...body.slice(1)],
  'a short witness nonce': ({ coinbase, body }) => [withWitness(coinbase, [Buffer.alloc(31)]), ...body.slice(1)],
  'no witness nonce': ({ coinbase, body }) => [withWitness(coinbase, []), ...body.slice(1)],
  'one more': ({ body }) => [...body, body.at(-1)!],
  'one less': ({ body }) => body.slice(0, -1),
  'another order': ({ body }) => (body.length < 3 ? null : [body[0]!, ...body.slice(1).reverse()]),
  'no witnesses': ({ body, txs }) => (txs.length === 0 ? null : [body[0]!, ...txs.map(({ tx }) => serializeTx(tx, false))]),
  'another witness': ({ body, txs }, dice) => {
    if (txs.length === 0) return null;
    const at = dice.below(txs.length);
    return body.map((bytes, i) => (i === at + 1 ? withWitness(txs[at]!, [Buffer.alloc(3, 5), Buffer.of(0x51)]) : bytes));
  },
  // The last leaf of an odd number is hashed with itself (CVE-2012-2459).
  'the last one twice': ({ body }) => (body.length % 2 === 1 && body.length > 1 ? [...body, body.at(-1)!] : null),
};

/** Returns a block with the same header and other transactions. */
export function mutatedCopy(dice: Dice, block: Block): { name: string; body: Buffer[] } | null {
  const name = dice.pick(Object.keys(COPIES));
  const body = COPIES[name]!(block, dice);
  return body === null ? null : { name, body };
}
