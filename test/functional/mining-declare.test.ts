// Tests checkdeclaredblock: for the header, coinbase and wtxids of a block it gives the same verdict as
// getblocktemplate gives for the whole block as a proposal, and it requests the transactions that the node does not
// know.
import t from 'tap';
import { type BlockPlan, type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { hash256, serializeTx, shown, TRUE_SCRIPT, TRUE_WITNESS, type Tx } from '../framework/messages.js';

const START = 1_700_000_000;
const PADDING = { value: 0, script: Buffer.concat([Buffer.from([0x6a, 28]), Buffer.alloc(28)]) };
const hexOf = (tx: Tx): string => serializeTx(tx).toString('hex');
const wtxidOf = (tx: Tx): string => shown(hash256(serializeTx(tx)));

/** Arguments of checkdeclaredblock for a block: header, coinbase and wtxids. */
const declared = (block: BuiltBlock): [string, string, string[]] => [
  block.header.toString('hex'),
  hexOf(block.txs[0]!),
  block.txs.slice(1).map(wtxidOf),
];

async function grown(t: { teardown(end: () => unknown): void }, ...options: string[]): Promise<{ node: Daemon; chain: BuiltBlock[] }> {
  const node = await Daemon.startFor(t, '-acceptnonstdtxn=1', ...options);
  const chain: BuiltBlock[] = [buildBlock(GENESIS, { time: START, script: TRUE_SCRIPT })];
  while (chain.length < 120) chain.push(buildBlock(chain.at(-1)!, { time: START + chain.length, script: TRUE_SCRIPT }));
  for (const block of chain) await node.call('submitblock', block.bytes.toString('hex'));
  return { node, chain };
}

/** Builds a transaction that spends a coinbase output and pays a fee. */
function pay(coin: { txid: Buffer; index: number; value: number }, fee: number): Tx {
  const tx = spend([coin], [{ value: coin.value - fee, script: TRUE_SCRIPT }, PADDING], { sequence: 0 });
  tx.ins[0]!.witness = [...TRUE_WITNESS];
  return tx;
}
const outputOf = (tx: Tx) => ({ txid: hash256(serializeTx(tx, false)), index: 0, value: tx.outs[0]!.value });

t.test('answers a declared block and a proposal alike', async (t) => {
  const { node, chain } = await grown(t);
  const tip = chain.at(-1)!;
  const a = pay(reward(chain[0]!), 5_000);
  const b = pay(outputOf(a), 6_000);
  const c = pay(reward(chain[1]!), 7_000);
  for (const tx of [a, b, c]) await node.call('sendrawtransaction', hexOf(tx), 0);
  const forged = { ...c, ins: [{ ...c.ins[0]!, witness: [Buffer.from([0x00])] }] };
  const good: BlockPlan = { txs: [a, b, c], fees: 18_000, unsolved: true };
  const cases: [string, BuiltBlock, string | null][] = [
    ['as it should be', buildBlock(tip, good), null],
    ['another order', buildBlock(tip, { ...good, txs: [c, a, b] }), null],
    ['without transactions', buildBlock(tip, { unsolved: true }), null],
    ['too much taken', buildBlock(tip, { ...good, fees: 18_001 }), 'bad-cb-amount'],
    ['a child before its parent', buildBlock(tip, { ...good, txs: [b, a, c] }), 'bad-txns-inputs-missingorspent'],
    ['a child without its parent', buildBlock(tip, { ...good, txs: [b, c] }), 'bad-txns-inputs-missingorspent'],
    ['one twice', buildBlock(tip, { ...good, txs: [a, b, c, c] }), 'bad-txns-inputs-missingorspent'],
    ['one twice, as a pair', buildBlock(tip, { ...good, txs: [a, c, c] }), 'bad-txns-duplicate'],
    ['another merkle root', buildBlock(tip, { ...good, breakMerkle: true }), 'bad-txnmrklroot'],
    ['another commitment', buildBlock(tip, { ...good, breakCommitment: true }), 'bad-witness-merkle-match'],
    ['no commitment', buildBlock(tip, { ...good, commitment: false }), 'unexpected-witness'],
    ['a time before its parents', buildBlock(tip, { ...good, time: START }), 'time-too-old'],
    ['other bits', buildBlock(tip, { ...good, bits: 0x207ffffe }), 'bad-diffbits'],
    ['on the block before', buildBlock(chain.at(-2)!, { ...good, tag: 5 }), 'inconclusive-not-best-prevblk'],
    ['the tip itself', tip, 'duplicate'],
  ];
  for (const [what, block, word] of cases) {
    t.equal(await node.call('getblocktemplate', { mode: 'proposal', data: block.bytes.toString('hex') }), word, what);
    const expected = word === null ? { valid: true } : { valid: false, 'reject-reason': word };
    t.same(await node.call('checkdeclaredblock', ...declared(block)), expected, `${what}, declared`);
  }
  // A copy of a transaction with a wrong witness. The mempool does not know it, because its wtxid differs.
  const mutated = buildBlock(tip, { ...good, txs: [a, b, forged] });
  t.same(await node.call('checkdeclaredblock', ...declared(mutated)), { missing: [wtxidOf(forged)] });
  const verdict = await node.call('checkdeclaredblock', ...declared(mutated), [hexOf(forged)]);
  const reason = 'block-script-verify-flag-failed (Witness program hash mismatch)';
  t.same(verdict, { valid: false, 'reject-reason': reason });
  const whole = { mode: 'proposal', data: mutated.bytes.toString('hex') };
  t.equal(await node.call('getblocktemplate', whole), reason);
  t.equal(await node.call('getblockcount'), 120, 'nothing was kept');
});

t.test('requests unknown transactions and accepts them in the same call', async (t) => {
  const { node, chain } = await grown(t, '-blockreconstructionextratxn=0');
  const tip = chain.at(-1)!;
  const known = pay(reward(chain[0]!), 5_000);
  await node.call('sendrawtransaction', hexOf(known), 0);
  const [one, two] = [pay(reward(chain[1]!), 5_000), pay(reward(chain[2]!), 5_000)];
  const block = buildBlock(tip, { txs: [one, known, two], fees: 15_000, unsolved: true });
  const asked = declared(block);
  t.same(await node.call('checkdeclaredblock', ...asked), { missing: [wtxidOf(one), wtxidOf(two)] });
  t.same(await node.call('checkdeclaredblock', ...asked, [hexOf(two)]), { missing: [wtxidOf(one)] });
  t.same(await node.call('checkdeclaredblock', ...asked, [hexOf(two), hexOf(one)]), { valid: true });
  t.same(await node.call('checkdeclaredblock', ...asked), { missing: [wtxidOf(one), wtxidOf(two)] }, 'they were not kept');
  // The transaction is replaced in the mempool, but it is still found because a job has pinned it.
  t.match(await node.call('getrawtransactions', [wtxidOf(known)], { job: 'j' }), { pinned: 1 });
  await node.call('sendrawtransaction', hexOf(pay(reward(chain[0]!), 50_000)), 0);
  t.same(await node.call('checkdeclaredblock', ...asked, [hexOf(two), hexOf(one)]), { valid: true }, 'from the pinned job');
  t.same((await node.call('getrawmempool')).length, 1);

  const [header, coinbase, wtxids] = asked;
  const failed = { code: -22, message: 'Block decode failed' };
  await t.rejects(node.call('checkdeclaredblock', header.slice(2), coinbase, wtxids), failed);
  await t.rejects(node.call('checkdeclaredblock', header, `${coinbase}00`, wtxids), failed);
  await t.rejects(node.call('checkdeclaredblock', header, 'zz', wtxids), failed);
  for (const wrong of ['ab', 'g'.repeat(64), `${'0'.repeat(63)}\u0161`, `${'0'.repeat(62)}\u0161`])
    await t.rejects(node.call('checkdeclaredblock', header, coinbase, [wrong]), { code: -8 });
  await t.rejects(node.call('checkdeclaredblock', header, coinbase, [7]), { code: -3 });
  await t.rejects(node.call('checkdeclaredblock', header, coinbase, wtxids, ['00']), { code: -22, message: 'TX decode failed' });
  // The node puts the block together only up to the largest size of a proposal.
  const large = spend([reward(chain[3]!)], [{ value: 1_000, script: Buffer.alloc(390_000, 0x6a) }]);
  const repeated = Array.from({ length: 50 }, () => wtxidOf(large));
  await t.rejects(node.call('checkdeclaredblock', header, coinbase, repeated, [hexOf(large)]), {
    code: -8,
    message: 'The transactions have more than 16000000 bytes',
  });
});
