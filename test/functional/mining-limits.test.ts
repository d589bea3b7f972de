// Tests getblocktemplate with limits of one client, with real processes in both template modes: each limit, invalid
// values, long polls, and that the shared template stays unchanged.
import t, { type Test } from 'tap';
import { type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { testKey } from '../framework/keys.js';
import { serializeTx, shown, type Tx, txid } from '../framework/messages.js';
import { commitmentOf, mine } from '../framework/miner.js';

const START = 1_700_000_000;
const PAYEE = Buffer.from('51'.padStart(62, '61'), 'hex');
const RULES = { rules: ['segwit'] };
const idOf = (tx: Tx): string => shown(txid(tx));

async function rig(t: Test, mode: string) {
  const node = await Daemon.startFor(t, `-templatemode=${mode}`, '-acceptnonstdtxn=1', '-checktemplates=1', '-longpolldelta=0.00000001');
  const chain: BuiltBlock[] = [buildBlock(GENESIS, { time: START })];
  while (chain.length < 120) chain.push(buildBlock(chain.at(-1)!, { time: START + chain.length }));
  for (const block of chain) await node.call('submitblock', block.bytes.toString('hex'));
  const send = async (coin: { txid: Buffer; index: number; value: number }, fee: number): Promise<Tx> => {
    const tx = spend([coin], [{ value: coin.value - fee, script: PAYEE }]);
    await node.call('sendrawtransaction', serializeTx(tx).toString('hex'), 0);
    return tx;
  };
  const txs: Tx[] = [];
  for (let i = 0; i < 6; i++) txs.push(await send(reward(chain[i]!), 10_000 + 1_000 * i));
  const child = await send({ txid: txid(txs[0]!), index: 0, value: txs[0]!.outs[0]!.value }, 50_000);
  // biome-ignore lint/suspicious/noExplicitAny: a template has many members
  const ask = (more: object = {}): Promise<any> => node.call('getblocktemplate', { ...RULES, ...more });
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const ids = (template: any): string[] => template.transactions.map((tx: { txid: string }) => tx.txid).sort();
  let full = await ask();
  while (full.transactions.length < 7) full = await ask({ longpollid: full.longpollid });
  return { node, txs, child, ask, ids, full };
}

for (const mode of ['core', 'live']) {
  t.test(`mode ${mode}`, async (t) => {
    const { node, txs, child, ask, ids, full } = await rig(t, mode);
    t.equal(ids(full).length, 7);
    const weightOf = new Map<string, number>(full.transactions.map((tx: { txid: string; weight: number }) => [tx.txid, tx.weight]));

    // exclude: a child of an excluded transaction must be missing too.
    const without = await ask({ exclude: [idOf(txs[0]!), 'ab'.repeat(32)] });
    t.same(ids(without), txs.slice(1).map(idOf).sort());
    t.equal(without.coinbasevalue, full.coinbasevalue - 60_000);
    t.equal(without.default_witness_commitment, commitmentOf(without));
    t.same(Object.keys(without), Object.keys(full), 'the same members');
    t.same(ids(await ask({ exclude: [idOf(child)] })), txs.map(idOf).sort(), 'its parent stays');

    // maxweight and maxsigops. Both include the amount that is reserved for the header and the coinbase.
    const each = weightOf.get(idOf(txs[5]!))!;
    const small = await ask({ maxweight: 8_000 + 3 * each + 10 });
    t.ok(small.transactions.length >= 2 && small.transactions.length <= 3, `${small.transactions.length} fit`);
    t.ok(small.transactions.reduce((sum: number, tx: { weight: number }) => sum + tx.weight, 8_000) <= 8_000 + 3 * each + 10);
    t.same((await ask({ maxweight: 8_000 })).transactions, []);
    t.same(ids(await ask({ maxweight: 4_000_000 })), ids(full), 'the operator\u2019s limit holds');
    t.same((await ask({ maxsigops: 80_000 })).transactions.length, 7);

    // minfeerate in BTC per 1,000 virtual bytes.
    const rate = (fee: number, tx: Tx): number => fee / Math.ceil(weightOf.get(idOf(tx))! / 4);
    const least = (rate(14_500, txs[4]!) * 1_000) / 1e8;
    const dear = await ask({ minfeerate: least.toFixed(8) });
    t.same(ids(dear), [txs[0]!, child, txs[5]!].map(idOf).sort(), 'the child pays for its parent');
    t.same((await ask({ minfeerate: 1_000 })).transactions, []);
    t.same(ids(await ask({ minfeerate: 0, exclude: [], maxweight: null })), ids(full), 'no limits at all');

    // The requests with limits must not have changed the shared template.
    const again = await ask();
    t.equal(again.longpollid, full.longpollid);
    t.same(again.transactions, full.transactions);

    // Invalid values.
    const refused = async (more: object): Promise<string> => {
      try {
        await ask(more);
        return 'taken';
      } catch (error) {
        const { code, message } = error as { code: number; message: string };
        return `${code} ${message}`;
      }
    };
    t.equal(await refused({ maxweight: 3_999 }), '-8 maxweight must be between 4000 and 4000000');
    t.equal(await refused({ maxweight: -1 }), '-8 maxweight must be between 4000 and 4000000');
    t.equal(await refused({ maxweight: 4_000_001 }), '-8 maxweight must be between 4000 and 4000000');
    t.equal(await refused({ maxweight: 5_000.5 }), '-1 JSON integer out of range');
    t.equal(await refused({ maxweight: '5000' }), '-3 JSON value of type string is not of expected type number');
    t.equal(await refused({ maxsigops: 399 }), '-8 maxsigops must be between 400 and 80000');
    t.equal(await refused({ maxsigops: 1e300 }), '-1 JSON integer out of range');
    t.equal(await refused({ minfeerate: -1 }), '-3 Amount out of range');
    t.equal(await refused({ minfeerate: 'NaN' }), '-3 Invalid amount');
    t.equal(await refused({ minfeerate: '1e400' }), '-3 Invalid amount');
    t.equal(await refused({ minfeerate: {} }), '-3 Amount is not a number or string');
    t.equal(await refused({ exclude: 'ab' }), '-3 JSON value of type string is not of expected type array');
    t.equal(await refused({ exclude: ['ab'] }), "-8 exclude must be of length 64 (not 2, for 'ab')");
    t.equal(await refused({ exclude: [7] }), '-3 JSON value of type number is not of expected type string');
    const many = Array.from({ length: 100_000 }, (_, i) => i.toString(16).padStart(64, '0'));
    t.equal(await refused({ exclude: many }), '-8 exclude lists more than 1000 transactions');
    t.equal((await ask({ exclude: many.slice(0, 1_000) })).transactions.length, 7);

    // Many different limits at once: each request is answered or refused, and the shared template stays unchanged.
    const crowd = await Promise.allSettled(Array.from({ length: 60 }, (_, i) => ask({ maxweight: 5_000 + i })));
    const faults = crowd.filter((one) => one.status === 'rejected').map(({ reason }) => reason.message);
    t.ok(
      faults.every((text) => text === 'Too many templates with different limits are being built'),
      `${faults.length} refused`,
    );
    t.ok(crowd.some((one) => one.status === 'fulfilled'));
    t.equal((await ask()).longpollid, full.longpollid);

    // A long poll with limits waits for a new tip like any other long poll. The block that ends it is mined from a
    // template with limits.
    const limits = { exclude: [idOf(txs[1]!)] };
    const mineable = await ask(limits);
    t.equal(mineable.longpollid, full.longpollid);
    const polled = ask({ ...limits, longpollid: mineable.longpollid });
    const mined = mine(mineable, 'p2wpkh', testKey(77));
    t.equal(await node.call('submitblock', mined.hex), null);
    let next = await polled;
    t.equal(next.previousblockhash, mined.hashHex);
    t.same(next.transactions, [], 'the one that was left out is still excluded');
    next = await ask();
    while (next.transactions.length < 1) next = await ask({ longpollid: next.longpollid });
    t.same(ids(next), [idOf(txs[1]!)]);
    t.same((await ask({ exclude: [idOf(txs[1]!)] })).transactions, []);
    // Limits also apply in a batch request.
    const body = [{ method: 'getblocktemplate', params: [{ ...RULES, maxweight: 4_000 }], id: 1 }];
    const batch = JSON.parse((await node.post(JSON.stringify(body))).body);
    t.same(batch[0].result.transactions, []);
  });
}
