// Tests blocks whose transactions are in the mempool. First, such a block is checked without reading its coins and
// running its scripts: the verdict must be "valid" for every valid block of this kind, and for no other block. Second,
// such a block is connected with the help of the mempool: the verdict must be that of a node without the mempool.

import t, { type Test as Tap } from 'tap';
import { ScriptRuns } from '../../../src/chain/connect/script-runs.js';
import { type BlockView, parseBlock } from '../../../src/consensus/block/block-view.js';
import type { BlockConnector } from '../../../src/consensus/connect.js';
import { SCRIPT_VERIFY_NULLDUMMY, SCRIPT_VERIFY_P2SH, SCRIPT_VERIFY_WITNESS } from '../../../src/consensus/script/flags.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { silentLogger } from '../../../src/log/logger.js';
import { Mempool } from '../../../src/mempool/mempool.js';
import { PASSED_BEFORE } from '../../../src/parallel/verifier.js';
import { ANYONE, type BlockPlan, type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { crypto, openFixture, TEST_NOW } from '../../framework/chain-fixture.js';
import { rounds } from '../../framework/depth.js';
import { fc } from '../../framework/fast-check.js';
import { InlineVerifier } from '../../framework/inline-verifier.js';
import { type Out, serializeTx, TRUE_SCRIPT, TRUE_WITNESS, type Tx, txid } from '../../framework/messages.js';
import { NO_POLICY } from '../../framework/pool-under-test.js';

/** At this height BIP-0034 and the version rules (from 500 on) and relative locks (from 432 on) apply. */
const HEIGHT = 520;
/** 9,000 signature checks, which fail and cost four each. A block may contain 20,000 of them. */
const CHECKSIGS = Buffer.alloc(9_000, 0xac);
/** Makes transactions as large as the mempool requires. */
const PADDING: Out = { value: 0, script: Buffer.concat([Buffer.from([0x6a, 28]), Buffer.alloc(28)]) };

const view = (tx: Tx): TxView => parseTx(new Uint8Array(serializeTx(tx)), crypto);
const wtxidsOf = (block: BlockView): Uint8Array => {
  const ids = new Uint8Array((block.txs.length - 1) * 32);
  for (const [i, tx] of block.txs.slice(1).entries()) ids.set(tx.wtxid, i * 32);
  return ids;
};

/** A transaction of the mempool, with the transactions that a block must contain before it. */
interface Pooled {
  readonly tx: Tx;
  readonly fee: number;
  readonly parents: readonly number[];
}

/**
 * Makes a chain and a mempool: rewards are split, with and without witnesses, and spent by children and grandchildren,
 * some with locks.
 */
async function world(t: Tap) {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { chain, clock } = fixture;
  const blocks: BuiltBlock[] = [];
  for (let i = 0; i < HEIGHT; i++) blocks.push(buildBlock(blocks.at(-1) ?? GENESIS, { script: i % 2 === 0 ? ANYONE : TRUE_SCRIPT }));
  for (const { bytes } of blocks) await chain.commands.submitBlock(new Uint8Array(bytes));
  const pool = new Mempool({ policy: NO_POLICY }, { chain: chain.view, verifier: new InlineVerifier(crypto), clock, log: silentLogger });
  chain.events.tip.add((tip, change) => pool.onTip(tip, change));
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
            ? { sequence: HEIGHT + 1 - blocks[i]!.height }
            : {};
    const one = await add([{ coin: reward(blocks[i]!), segwit: i % 2 === 1 }], [], rest);
    const two = await add([output(one, 0)], [one]);
    await add([output(one, 1), output(two, 1)], [one, two]);
  }
  // This coinbase is mature in the next block, and not before.
  const youngest = HEIGHT - 100;
  await add([{ coin: reward(blocks[youngest]!), segwit: youngest % 2 === 1 }], []);
  return { fixture, chain, clock, pool, pooled, blocks };
}

const GENESIS_CHILD = buildBlock(GENESIS);

/** Errors of a block outside its transactions. */
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

/** Lists of transactions, most of them with an error. */
const LISTS = ['in order', 'shuffled', 'one missing', 'one twice', 'a stranger', 'another witness', 'a rival'] as const;

/** Blocks are built this far below the tip. */
const DEPTHS = [0, 1, 2] as const;

/** Each error alone, so that every error is tested whatever the random seed is. */
const EACH_ALONE: readonly (readonly [spoil: string, list: (typeof LISTS)[number]])[] = [
  ...Object.keys(SPOILS).map((spoil) => [spoil, 'in order'] as const),
  ...LISTS.map((list) => ['none', list] as const),
];

/** Returns the positions of these transactions and of all their ancestors. */
function closed(pooled: readonly Pooled[], wanted: readonly number[]): number[] {
  const chosen = new Set<number>();
  const take = (i: number): void => {
    for (const parent of pooled[i]!.parents) take(parent);
    chosen.add(i);
  };
  for (const i of wanted) take(i);
  return [...chosen];
}

/** Applies the error to the list of transactions, at this position. */
function listed(good: readonly Tx[], list: (typeof LISTS)[number], place: number, stranger: Tx): Tx[] {
  let txs = [...good];
  if (list === 'shuffled') txs = [...txs.slice(place), ...txs.slice(0, place)];
  if (list === 'one missing') txs.splice(place, 1);
  if (list === 'one twice' && txs.length > 0) txs.push(txs[place]!);
  if (list === 'a stranger') txs.splice(place, 0, stranger);
  if (list === 'another witness' && txs.length > 0) {
    const [first, ...others] = txs[place]!.ins;
    const witness = first!.witness === undefined ? [Buffer.from([1])] : undefined;
    txs[place] = { ...txs[place]!, ins: [{ ...first!, ...(witness && { witness }) }, ...others] };
  }
  if (list === 'a rival' && txs.length > 0) {
    const rival = txs[place]!;
    txs.splice(place, 0, { ...rival, outs: [{ ...rival.outs[0]!, value: 1_000 }, ...rival.outs.slice(1)] });
  }
  return txs;
}

/** Makes two transactions that are not in the mempool: one without a witness and one with it. */
function strangersTo(blocks: readonly BuiltBlock[]): Tx[] {
  const strangers = [40, 41].map((i) => spend([reward(blocks[i]!)], [{ value: 1_000, script: ANYONE }, PADDING]));
  strangers[1]!.ins[0]!.witness = [...TRUE_WITNESS];
  return strangers;
}

t.test('recognises every valid block of known transactions, and no invalid one', async (t) => {
  const { chain, pool, pooled, blocks } = await world(t);
  const tip = blocks.at(-1)!;
  const strangers = strangersTo(blocks);
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: pooled.length, maxLength: pooled.length }),
      fc.constantFrom(...Object.keys(SPOILS), 'none', 'none', 'none'),
      fc.constantFrom(...LISTS, 'in order', 'in order'),
      fc.nat(),
      async (wanted, spoil, list, at) => {
        const chosen = closed(
          pooled,
          wanted.flatMap((is, i) => (is ? [i] : [])),
        );
        const good = chosen.map((i) => pooled[i]!.tx);
        const txs = listed(good, list, at % Math.max(1, good.length), strangers[at % 2]!);
        const { fees = 0, ...plan } = SPOILS[spoil]!(tip);
        const total = fees + chosen.reduce((sum, i) => sum + pooled[i]!.fee, 0);
        const bytes = new Uint8Array(buildBlock(tip, { ...plan, txs, fees: total, unsolved: true }).bytes);
        const given = parseBlock(bytes, crypto);
        const known = pool.known(wtxidsOf(given));
        const yes = known !== null && (await chain.view.isKnownValid(given.header, given.txs[0]!, known));
        const whole = await chain.view.testBlockValidity(parseBlock(bytes, crypto), { checkPow: false, checkMerkle: true });
        const allHere = given.txs.slice(1).every((tx) => pool.byWtxid(tx.wtxid) !== undefined);
        const word = whole === null ? 'valid' : whole.reason;
        seen.set(word, (seen.get(word) ?? 0) + 1);
        if (yes !== (whole === null && allHere)) throw new Error(`${spoil}, ${list}: known ${yes}, all here ${allHere}, ${word}`);
      },
    ),
    { numRuns: rounds(300, 600), examples: EACH_ALONE.map(([spoil, list]) => [pooled.map(() => true), spoil, list, 1]) },
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

t.test('accepts a list of known transactions only for the tip and mempool it was made from', async (t) => {
  const { chain, pool, pooled, blocks } = await world(t);
  const tip = blocks.at(-1)!;
  const txs = pooled.map(({ tx }) => tx);
  const fees = pooled.reduce((sum, { fee }) => sum + fee, 0);
  const block = parseBlock(new Uint8Array(buildBlock(tip, { txs, fees }).bytes), crypto);
  const ids = wtxidsOf(block);
  const valid = (): Promise<boolean> => {
    const known = pool.known(ids);
    return known === null ? Promise.resolve(false) : chain.view.isKnownValid(block.header, block.txs[0]!, known);
  };
  t.equal(await valid(), true);
  const known = pool.known(ids)!;
  const [other] = buildChain(tip, 1);
  await chain.commands.submitBlock(new Uint8Array(other!.bytes));
  t.equal(await chain.view.isKnownValid(block.header, block.txs[0]!, known), false, 'it was made for the tip before');
  t.equal(await valid(), false, 'and its header is');
  const next = parseBlock(new Uint8Array(buildBlock(other!, { txs, fees }).bytes), crypto);
  t.equal(await chain.view.isKnownValid(next.header, next.txs[0]!, known), false, 'a header of this tip does not make it new');
  let meanwhile: unknown = 'nobody asked';
  chain.events.tip.add(() => {
    meanwhile = pool.known(ids);
  });
  await chain.commands.invalidateBlock(chain.view.tip);
  t.equal(meanwhile, null, 'while transactions are on their way back nothing is known');
  await pool.settled();
  t.equal(await valid(), true);
  await chain.commands.submitBlock(new Uint8Array(buildBlock(tip, { txs: [txs[0]!], tag: 9 }).bytes));
  t.equal(pool.known(ids), null, 'one of them is in the chain');
});

t.test('returns the same verdicts as a node without a mempool, on any branch', async (t) => {
  const { chain, pool, pooled, blocks } = await world(t);
  chain.commands.useCheckedTransactions(pool);
  const bare = await openFixture();
  t.teardown(() => bare.end());
  for (const { bytes } of blocks) await bare.chain.commands.submitBlock(new Uint8Array(bytes));
  const tip = blocks.at(-1)!;
  const strangers = strangersTo(blocks);
  const seen = new Map<string, number>();
  const judged = { known: '', bare: '' };
  chain.events.checked.add((_hash, _block, reject) => (judged.known += ` ${reject?.category} ${reject?.reason} ${reject?.debug}`));
  bare.chain.events.checked.add((_hash, _block, reject) => {
    judged.bare += ` ${reject?.category} ${reject?.reason} ${reject?.debug}`;
    seen.set(reject?.reason ?? 'valid', (seen.get(reject?.reason ?? 'valid') ?? 0) + 1);
  });
  let tag = 100;
  let recognised = 0;
  const all = [...pooled.keys()];
  type Plan = [wanted: number[], spoil: string, list: (typeof LISTS)[number], depth: (typeof DEPTHS)[number], at: number];
  const plans = DEPTHS.flatMap((depth) => EACH_ALONE.map(([spoil, list]): Plan => [all, spoil, list, depth, 1]));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.subarray([...pooled.keys()], { maxLength: 6 }), fc.constant([pooled.length - 1])),
      fc.constantFrom(...Object.keys(SPOILS), 'none', 'none', 'none'),
      fc.constantFrom(...LISTS, 'in order', 'in order'),
      fc.constantFrom(...DEPTHS, 0),
      fc.nat(),
      async (wanted, spoil, list, depth, at) => {
        const chosen = closed(pooled, wanted);
        const good = chosen.map((i) => pooled[i]!.tx);
        const txs = listed(good, list, at % Math.max(1, good.length), strangers[at % 2]!);
        const parent = blocks.at(-1 - depth)!;
        const { fees = 0, ...plan } = SPOILS[spoil]!(parent);
        tag++;
        const total = fees + chosen.reduce((sum, i) => sum + pooled[i]!.fee, 0);
        const branch = [buildBlock(parent, { ...plan, txs, fees: total, tag })];
        // The branch gets more work than the tip, so the block is connected in a reorganisation.
        while (branch.length <= depth) branch.push(buildBlock(branch.at(-1)!, { tag }));
        judged.known = judged.bare = '';
        for (const { bytes } of branch) {
          const view = parseBlock(new Uint8Array(bytes), crypto);
          const here = await chain.commands.submitBlock(view);
          const there = await bare.chain.commands.submitBlock(new Uint8Array(bytes));
          recognised += view.txs.filter(({ facts }) => facts !== null).length;
          judged.known += ` ${here.kind}`;
          judged.bare += ` ${there.kind}`;
        }
        if (judged.known !== judged.bare) throw new Error(`${spoil}, ${list}, ${depth}:${judged.known};${judged.bare}`);
        for (const { chain: each } of [{ chain }, bare]) {
          const first = each.view.node(branch[0]!.hash);
          if (first !== undefined && each.view.contains(first)) await each.commands.invalidateBlock(first);
          if (!Buffer.from(each.view.tip.hash).equals(tip.hash)) throw new Error('back on the tip of before');
        }
        await pool.settled();
        // When the first branch returns, the tip is lower for a moment. Some locks and young coinbases are then not
        // valid, so the mempool drops their transactions.
        for (const { tx } of pooled) {
          if (!pool.has(txid(tx)) && (await pool.accept(view(tx))).reject !== null) throw new Error('it is taken again');
        }
      },
    ),
    { numRuns: rounds(125, 250), examples: plans },
  );
  t.ok(recognised > rounds(250, 500), 'most of it was known');
  for (const word of [
    'valid',
    'bad-cb-amount',
    'bad-txnmrklroot',
    'bad-blk-sigops',
    'bad-txns-nonfinal',
    'bad-txns-premature-spend-of-coinbase',
    'bad-txns-inputs-missingorspent',
    'unexpected-witness',
    'bad-witness-merkle-match',
  ]) {
    t.ok((seen.get(word) ?? 0) > 0, `${word} was among them`);
  }
});

t.test('skips scripts of known transactions only under flags that they passed', async (t) => {
  const txs = [spend([reward(GENESIS_CHILD)], [{ value: 1_000, script: ANYONE }]), spend([reward(GENESIS_CHILD)], [PADDING])];
  const block = parseBlock(new Uint8Array(buildBlock(GENESIS_CHILD, { txs }).bytes), crypto);
  const facts = { fee: 1, sigopCost: 0, flags: SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS };
  block.txs[1]!.facts = facts;
  const run = async (flags: number): Promise<number[]> => {
    const ran: number[] = [];
    const verifier = new InlineVerifier(crypto);
    verifier.verifyTxs = async ({ txs: jobs }) => {
      ran.push(...jobs.map(({ tx }) => block.txs.indexOf(tx)));
      return { ...PASSED_BEFORE, ok: false, failedTx: jobs.length - 1, failedInput: 0, scriptError: 1 };
    };
    const runs = new ScriptRuns(verifier, { flags, klass: 'block', wording: 'plain' }, silentLogger);
    const connector = { block, spentByTx: [[], [], []], verdict: null } as unknown as BlockConnector;
    runs.start(connector, 0, 3);
    t.match((await runs.verdict(connector))?.reason, 'block-script-verify-flag-failed');
    return ran;
  };
  t.same(await run(facts.flags), [2], 'the known one is left out, and the place of what fails is right');
  t.same(await run(SCRIPT_VERIFY_P2SH), [2]);
  t.same(await run(facts.flags | SCRIPT_VERIFY_NULLDUMMY), [1, 2]);
  block.forgetChecks();
  t.same(await run(facts.flags), [1, 2]);
});

t.test('validates a block of known transactions whose coins are not cached or are spent', async (t) => {
  const trunk = buildChain(GENESIS, 103);
  const pay = (i: number) => spend([reward(trunk[i]!)], [{ value: reward(trunk[i]!).value, script: ANYONE }]);
  const child = spend([{ txid: txid(pay(0)), index: 0, value: 9 }], [{ value: 9, script: ANYONE }]);
  const next = buildBlock(trunk[102]!, { txs: [pay(0), child, pay(1)] });
  const twice = buildBlock(next, { txs: [spend([reward(trunk[1]!)], [{ value: 7, script: ANYONE }])] });
  const fixture = await openFixture({ coinsCacheBytes: 1 });
  t.teardown(() => fixture.end());
  const { chain } = fixture;
  for (const { bytes } of trunk) await chain.commands.submitBlock(new Uint8Array(bytes));
  await chain.commands.flush();
  for (let i = 0; i < 3; i++) chain.view.coins.evict();
  t.equal(chain.view.coins.stats().entries, 0, 'all are in the store alone');
  const facts = { fee: 0, sigopCost: 4, flags: 0xffffff };
  chain.commands.useCheckedTransactions({ size: 3, recognise: (tx) => (tx.isCoinbase ? undefined : (tx.facts = facts)) });
  t.equal((await chain.commands.submitBlock(next.bytes)).kind, 'accepted');
  t.match(await chain.commands.submitBlock(twice.bytes), { kind: 'invalid', reject: { reason: 'bad-txns-inputs-missingorspent' } });
  t.equal(chain.view.tip.hashHex, next.hashHex);
  t.same(fixture.faults, []);
});
