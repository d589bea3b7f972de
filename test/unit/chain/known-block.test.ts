// Blocks of transactions that the mempool holds, checked without their coins and scripts, against the whole check of
// the same bytes: it must say yes to every such block that is valid, and to nothing else.
import fc from 'fast-check';
import t, { type Test as Tap } from 'tap';
import { type BlockView, parseBlock } from '../../../src/consensus/block/block-view.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { silentLogger } from '../../../src/log/logger.js';
import { Mempool } from '../../../src/mempool/mempool.js';
import { InlineVerifier } from '../../../src/parallel/inline-verifier.js';
import { ANYONE, type BlockPlan, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { crypto, openFixture, TEST_NOW } from '../../framework/chain-fixture.js';
import { type Out, serializeTx, TRUE_SCRIPT, TRUE_WITNESS, type Tx, txid } from '../../framework/messages.js';
import { NO_POLICY } from '../../framework/pool-under-test.js';

t.setTimeout(180_000);

/** BIP-0034 and the version rules hold from 500 on, relative locks from 432. */
const HEIGHT = 520;
/** Checks of signatures that fail and cost four each; the limit of a block is 20,000 of them. */
const CHECKSIGS = Buffer.alloc(9_000, 0xac);
/** Makes transactions as large as the mempool wants them. */
const PADDING: Out = { value: 0, script: Buffer.concat([Buffer.from([0x6a, 28]), Buffer.alloc(28)]) };

const view = (tx: Tx): TxView => parseTx(new Uint8Array(serializeTx(tx)), crypto);
const wtxidsOf = (block: BlockView): Uint8Array => {
  const ids = new Uint8Array((block.txs.length - 1) * 32);
  for (const [i, tx] of block.txs.slice(1).entries()) ids.set(tx.wtxid, i * 32);
  return ids;
};

/** A transaction of the pool with what a block of it has to have before. */
interface Pooled {
  readonly tx: Tx;
  readonly fee: number;
  readonly parents: readonly number[];
}

/**
 * A chain and a mempool over it: rewards split up, with and without witnesses, children and grandchildren, locks that
 * count.
 */
async function world(t: Tap) {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { chain, clock } = fixture;
  const blocks: BuiltBlock[] = [];
  for (let i = 0; i < HEIGHT; i++) blocks.push(buildBlock(blocks.at(-1) ?? GENESIS, { script: i % 2 === 0 ? ANYONE : TRUE_SCRIPT }));
  for (const { bytes } of blocks) await chain.submitBlock(new Uint8Array(bytes));
  const pool = new Mempool({ policy: NO_POLICY }, { chain, verifier: new InlineVerifier(crypto), clock, log: silentLogger });
  chain.onTip((tip, change) => pool.onTip(tip, change));
  const pooled: Pooled[] = [];
  const add = async (parts: { coin: { txid: Buffer; index: number; value: number }; segwit: boolean }[], parents: number[], rest = {}) => {
    const value = parts.reduce((sum, { coin }) => sum + coin.value, 0);
    const fee = 1_000 + pooled.length;
    const share = Math.floor((value - fee) / 2);
    const outs = [{ value: share, script: ANYONE }, { value: value - fee - share, script: TRUE_SCRIPT }, PADDING];
    const tx = spend(
      parts.map(({ coin }) => coin),
      outs,
      rest,
    );
    for (const [i, { segwit }] of parts.entries()) if (segwit) tx.ins[i]!.witness = [...TRUE_WITNESS];
    const { reject } = await pool.accept(view(tx));
    t.equal(reject, null, 'it is taken');
    return pooled.push({ tx, fee, parents }) - 1;
  };
  const output = (parent: number, index: number) => {
    const { tx } = pooled[parent]!;
    return { coin: { txid: txid(tx), index, value: tx.outs[index]!.value }, segwit: index === 1 };
  };
  for (let i = 0; i < 8; i++) {
    const rest =
      i === 5
        ? { locktime: HEIGHT, sequence: 0 }
        : i === 6
          ? { locktime: blocks.at(-8)!.time, sequence: 0 }
          : i === 7
            ? { sequence: 400 }
            : {};
    const one = await add([{ coin: reward(blocks[i]!), segwit: i % 2 === 1 }], [], rest);
    const two = await add([output(one, 0)], [one]);
    await add([output(one, 1), output(two, 1)], [one, two]);
  }
  return { fixture, chain, clock, pool, pooled, blocks };
}

/** What can be wrong with a block beside its transactions. */
const SPOILS: Record<string, (tip: BuiltBlock) => BlockPlan> = {
  none: () => ({}),
  greedy: () => ({ fees: 1 }),
  modest: () => ({ fees: -1 }),
  early: (tip) => ({ time: tip.prev!.prev!.prev!.prev!.prev!.time }),
  'just late enough': (tip) => ({ time: tip.prev!.prev!.prev!.prev!.prev!.time + 1 }),
  'far ahead': () => ({ time: TEST_NOW + 7_201 }),
  'old version': () => ({ version: 1 }),
  'other bits': () => ({ bits: 0x207ffffe }),
  'another height': () => ({ coinbaseHeight: HEIGHT + 2 }),
  'no commitment': () => ({ commitment: false }),
  'wrong commitment': () => ({ breakCommitment: true }),
  'no reserved value': () => ({ commitment: false, outs: [{ value: 0, script: Buffer.from(`6a24aa21a9ed${'00'.repeat(32)}`, 'hex') }] }),
  'wrong root': () => ({ breakMerkle: true }),
  'signature operations': () => ({ outs: [1, 2, 3].map(() => ({ value: 0, script: CHECKSIGS })) }),
  'some signature operations': () => ({ outs: [1, 2].map(() => ({ value: 0, script: CHECKSIGS })) }),
  'too large': () => ({ outs: [{ value: 0, script: Buffer.alloc(1_000_000, 0x6a) }] }),
};

/** What can be wrong with the transactions. */
const LISTS = ['in order', 'shuffled', 'one missing', 'one twice', 'a stranger', 'another witness', 'a rival'] as const;

t.test('yes to every valid block of known transactions, and to nothing else', async (t) => {
  const { chain, pool, pooled, blocks } = await world(t);
  const tip = blocks.at(-1)!;
  const strangers = [40, 41].map((i) => spend([reward(blocks[i]!)], [{ value: 1_000, script: ANYONE }, PADDING]));
  strangers[1]!.ins[0]!.witness = [...TRUE_WITNESS];
  const seen = new Map<string, number>();
  const closed = (wanted: readonly boolean[]): number[] => {
    const chosen = new Set<number>();
    const take = (i: number): void => {
      for (const parent of pooled[i]!.parents) take(parent);
      chosen.add(i);
    };
    for (const [i, is] of wanted.entries()) if (is) take(i);
    return [...chosen];
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: pooled.length, maxLength: pooled.length }),
      fc.constantFrom(...Object.keys(SPOILS), 'none', 'none', 'none'),
      fc.constantFrom(...LISTS, 'in order', 'in order'),
      fc.nat(),
      async (wanted, spoil, list, at) => {
        const chosen = closed(wanted);
        let txs = chosen.map((i) => pooled[i]!.tx);
        const place = at % Math.max(1, txs.length);
        if (list === 'shuffled') txs = [...txs.slice(place), ...txs.slice(0, place)];
        if (list === 'one missing') txs.splice(place, 1);
        if (list === 'one twice' && txs.length > 0) txs.push(txs[place]!);
        if (list === 'a stranger') txs.splice(place, 0, strangers[at % 2]!);
        if (list === 'another witness' && txs.length > 0) {
          const [first, ...others] = txs[place]!.ins;
          const witness = first!.witness === undefined ? [Buffer.from([1])] : undefined;
          txs[place] = { ...txs[place]!, ins: [{ ...first!, ...(witness && { witness }) }, ...others] };
        }
        if (list === 'a rival' && txs.length > 0) {
          const rival = txs[place]!;
          txs.splice(place, 0, { ...rival, outs: [{ ...rival.outs[0]!, value: 1_000 }, ...rival.outs.slice(1)] });
        }
        const { fees = 0, ...plan } = SPOILS[spoil]!(tip);
        const total = fees + chosen.reduce((sum, i) => sum + pooled[i]!.fee, 0);
        const bytes = new Uint8Array(buildBlock(tip, { ...plan, txs, fees: total, unsolved: true }).bytes);
        const given = parseBlock(bytes, crypto);
        const known = pool.known(wtxidsOf(given));
        const yes = known !== null && (await chain.isKnownValid(given.header, given.txs[0]!, known));
        const whole = await chain.testBlockValidity(parseBlock(bytes, crypto), { checkPow: false, checkMerkle: true });
        const allHere = given.txs.slice(1).every((tx) => pool.byWtxid(tx.wtxid) !== undefined);
        const word = whole === null ? 'valid' : whole.reason;
        seen.set(word, (seen.get(word) ?? 0) + 1);
        if (yes !== (whole === null && allHere)) throw new Error(`${spoil}, ${list}: known ${yes}, all here ${allHere}, ${word}`);
      },
    ),
    { numRuns: 600 },
  );
  for (const word of [
    'valid',
    'bad-cb-amount',
    'time-too-old',
    'time-too-new',
    'bad-diffbits',
    'bad-cb-height',
    'bad-txnmrklroot',
    'bad-blk-sigops',
    'bad-txns-inputs-missingorspent',
    'unexpected-witness',
    'bad-witness-merkle-match',
    'bad-witness-nonce-size',
    'bad-version(0x00000001)',
    'bad-blk-length',
  ]) {
    t.ok((seen.get(word) ?? 0) > 0, `${word} was among them`);
  }
});

t.test('a list is known for the tip it was asked at, and by what is in the pool then', async (t) => {
  const { chain, pool, pooled, blocks } = await world(t);
  const tip = blocks.at(-1)!;
  const txs = pooled.map(({ tx }) => tx);
  const fees = pooled.reduce((sum, { fee }) => sum + fee, 0);
  const block = parseBlock(new Uint8Array(buildBlock(tip, { txs, fees }).bytes), crypto);
  const ids = wtxidsOf(block);
  const valid = (): Promise<boolean> => {
    const known = pool.known(ids);
    return known === null ? Promise.resolve(false) : chain.isKnownValid(block.header, block.txs[0]!, known);
  };
  t.equal(await valid(), true);
  const known = pool.known(ids)!;
  const [other] = buildChain(tip, 1);
  await chain.submitBlock(new Uint8Array(other!.bytes));
  t.equal(await chain.isKnownValid(block.header, block.txs[0]!, known), false, 'it was made for the tip before');
  t.equal(await valid(), false, 'and its header is');
  const next = parseBlock(new Uint8Array(buildBlock(other!, { txs, fees }).bytes), crypto);
  t.equal(await chain.isKnownValid(next.header, next.txs[0]!, known), false, 'a header of this tip does not make it new');
  await chain.invalidateBlock(chain.tip);
  t.equal(pool.known(ids), null, 'while transactions are on their way back nothing is known');
  await pool.settled();
  t.equal(await valid(), true);
  await chain.submitBlock(new Uint8Array(buildBlock(tip, { txs: [txs[0]!], tag: 9 }).bytes));
  t.equal(pool.known(ids), null, 'one of them is in the chain');
});
