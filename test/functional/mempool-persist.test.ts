// The mempool and its fee estimates across restarts: saved by a call before a kill, saved by a clean stop, and not
// saved if an option says so.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { CallError, Daemon } from '../framework/daemon.js';
import { mine } from '../framework/miner.js';
import { MiniWallet, type Spendable } from '../framework/mini-wallet.js';
import { until } from '../framework/until.js';

const loaded = (node: Daemon): Promise<void> => until('the mempool is loaded', async () => (await node.call('getmempoolinfo')).loaded);

t.test('restores the mempool after restarts', async (t) => {
  const node = await Daemon.startFor(t);
  const wallet = new MiniWallet();
  const rewards: Spendable[] = [];
  const mineOne = async (): Promise<void> => {
    const block = mine(await node.call('getblocktemplate', { rules: ['segwit'] }), 'p2wpkh', wallet.key());
    t.equal(await node.call('submitblock', block.hex), null);
    rewards.push(block.coinbase);
  };
  for (let i = 0; i < 103; i++) await mineOne();
  await loaded(node);
  const first = wallet.spend([rewards[0]!], ['p2wpkh'], 10_000);
  const second = wallet.spend(first.outputs, ['p2tr-key'], 20_000);
  for (const { hex } of [first, second]) await node.call('sendrawtransaction', hex, 0);
  await node.call('prioritisetransaction', second.txidHex, null, 777);
  const absent = '11'.repeat(32);
  await node.call('prioritisetransaction', absent, null, -5);
  const prioritised = {
    [absent]: { fee_delta: -5, in_mempool: false },
    [second.txidHex]: { fee_delta: 777, in_mempool: true, modified_fee: 20_777 },
  };
  t.same(await node.call('getprioritisedtransactions'), prioritised);
  t.same(await node.call('estimatesmartfee', 6), { errors: ['Insufficient data or no feerate found'], blocks: 0 });
  const before = await node.call('getrawmempool', true);
  t.equal(Object.keys(before).length, 2);

  t.comment('a kill after savemempool');
  t.match(await node.call('savemempool'), { filename: /mempool\.dat$/ });
  await node.kill();
  await node.up();
  await loaded(node);
  t.same(await node.call('getrawmempool', true), before);
  t.same(await node.call('getprioritisedtransactions'), prioritised);

  t.comment('a clean stop, then estimates over it');
  for (let i = 0; i < 3; i++) {
    const spend = wallet.spend([rewards[1]!], ['p2wpkh'], 30_000);
    if (i === 0) await node.call('sendrawtransaction', spend.hex, 0);
    await mineOne();
  }
  const raw = await node.call('estimaterawfee', 2);
  t.same(Object.keys(raw), ['short', 'medium', 'long']);
  t.same(await node.stop(), { code: 0, signal: null });
  t.ok(fs.existsSync(path.join(node.networkDir, 'fee_estimates.dat')));
  await node.up();
  await loaded(node);
  t.same(await node.call('estimaterawfee', 2), raw, 'what was learnt is still known');
  t.equal((await node.call('getmempoolinfo')).size, 0, 'confirmed meanwhile');

  t.comment('not persisted');
  const last = wallet.spend([rewards[2]!], ['p2wpkh'], 30_000);
  await node.call('sendrawtransaction', last.hex, 0);
  await node.stop();
  await node.up('-persistmempool=0');
  await loaded(node);
  t.same(await node.call('getrawmempool'), [], 'not loaded');
  await node.stop();
  await node.up();
  await loaded(node);
  t.same(await node.call('getrawmempool'), [last.txidHex], 'and not overwritten');

  t.comment('a file that cannot be written or read');
  fs.mkdirSync(path.join(node.networkDir, 'mempool.dat.new'));
  await t.rejects(node.call('savemempool'), new CallError(-1, 'Unable to dump mempool to disk'));
  fs.rmdirSync(path.join(node.networkDir, 'mempool.dat.new'));
  await node.kill();
  fs.writeFileSync(path.join(node.networkDir, 'mempool.dat'), 'torn');
  fs.writeFileSync(path.join(node.networkDir, 'fee_estimates.dat'), 'torn');
  await node.up();
  await loaded(node);
  t.same(await node.call('getrawmempool'), []);
});

t.test('checks the arguments of the fee estimation calls', async (t) => {
  const node = await Daemon.startFor(t);
  const fault = async (method: string, ...params: unknown[]): Promise<string> => {
    try {
      await node.call(method, ...params);
      return 'none';
    } catch (error) {
      return `${(error as CallError).code} ${(error as CallError).message}`;
    }
  };
  t.match(await fault('estimatesmartfee'), /^-1 estimatesmartfee conf_target/);
  t.equal(
    await fault('estimatesmartfee', 'foo'),
    '-3 Wrong type passed:\n{\n    "Position 1 (conf_target)": "JSON value of type string is not of expected type number"\n}',
  );
  t.equal(
    await fault('estimatesmartfee', 1, 1),
    '-3 Wrong type passed:\n{\n    "Position 2 (estimate_mode)": "JSON value of type number is not of expected type string"\n}',
  );
  t.equal(await fault('estimatesmartfee', 0), '-8 Invalid conf_target, must be between 1 and 1008');
  t.equal(await fault('estimatesmartfee', 1009), '-8 Invalid conf_target, must be between 1 and 1008');
  t.equal(
    await fault('estimatesmartfee', 1, 'foo'),
    '-8 Invalid estimate_mode parameter, must be one of: "unset", "economical", "conservative"',
  );
  t.equal(await fault('estimatesmartfee', 1, 'ECONOMICAL'), 'none');
  t.match(await fault('estimaterawfee', 1, 1, 1), /^-1 estimaterawfee conf_target/);
  t.equal(
    await fault('estimaterawfee', 'foo'),
    '-3 Wrong type passed:\n{\n    "Position 1 (conf_target)": "JSON value of type string is not of expected type number"\n}',
  );
  t.equal(
    await fault('estimaterawfee', 1, 'foo'),
    '-3 Wrong type passed:\n{\n    "Position 2 (threshold)": "JSON value of type string is not of expected type number"\n}',
  );
  t.equal(await fault('estimaterawfee', 1, 2), '-8 Invalid threshold');
  t.same(await node.call('estimaterawfee', 1000), {
    long: {
      decay: 0.99931,
      scale: 24,
      fail: { startrange: 0, endrange: 1e99, withintarget: 0, totalconfirmed: 0, inmempool: 0, leftmempool: 0 },
      errors: ['Insufficient data or no feerate found which meets threshold'],
    },
  });
  const { body } = await node.post(JSON.stringify({ method: 'estimaterawfee', params: [1000, null], id: 1 }));
  t.equal(
    body,
    '{"result":{"long":{"decay":0.99931,"scale":24,"fail":{"startrange":0,"endrange":1e+99,"withintarget":0,"totalconfirmed":0,"inmempool":0,"leftmempool":0},"errors":["Insufficient data or no feerate found which meets threshold"]}},"error":null,"id":1}\n',
  );
});
