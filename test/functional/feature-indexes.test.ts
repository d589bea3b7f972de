// Tests the indexes of a real node: they are enabled on an existing chain and read by RPC, the node is killed while
// they follow the chain, and then they are read again.
import t from 'tap';
import { type CallError, Daemon } from '../framework/daemon.js';
import { until } from '../framework/until.js';

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const OTHER = 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry';

const fault = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: CallError) => `${error.code} ${error.message}`,
  );

t.test('builds txindex, block filters and coin statistics, and keeps them current', async (t) => {
  const node = await Daemon.startFor(t);
  const hashes: string[] = await node.call('generatetoaddress', 120, ADDRESS);
  const coinbaseOf = async (hash: string): Promise<string> => (await node.call('getblock', hash)).tx[0];
  const old = await coinbaseOf(hashes[4]!);
  t.same(await node.call('getindexinfo'), {});
  t.equal(
    await fault(node.call('getrawtransaction', old)),
    '-5 No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries. Use gettransaction for wallet transactions.',
  );
  const walked = await node.call('gettxoutsetinfo', 'muhash');
  await node.stop();

  const on = ['-txindex', '-blockfilterindex', '-coinstatsindex'];
  await node.up(...on);
  const all = (height: number) => ({
    txindex: { synced: true, best_block_height: height },
    coinstatsindex: { synced: true, best_block_height: height },
    'basic block filter index': { synced: true, best_block_height: height },
  });
  await until('the indexes are in step', async () =>
    Object.values(await node.call('getindexinfo')).every((index) => (index as { synced: boolean }).synced),
  );
  t.same(await node.call('getindexinfo'), all(120));
  t.same(Object.keys(await node.call('getindexinfo')), ['txindex', 'coinstatsindex', 'basic block filter index']);
  t.same(await node.call('getindexinfo', 'txindex'), { txindex: all(120).txindex });
  t.same(await node.call('getindexinfo', 'other'), {});

  const found = await node.call('getrawtransaction', old, true);
  t.match(found, { txid: old, blockhash: hashes[4], confirmations: 116 });
  t.equal(found.in_active_chain, undefined, 'only when a block was named');
  t.equal(await node.call('getrawtransaction', old), found.hex);
  t.equal(
    await fault(node.call('getrawtransaction', '00'.repeat(32))),
    '-5 No such mempool or blockchain transaction. Use gettransaction for wallet transactions.',
  );

  const figures = await node.call('gettxoutsetinfo', 'muhash');
  t.match(figures, {
    height: 120,
    muhash: walked.muhash,
    txouts: walked.txouts,
    bogosize: walked.bogosize,
    total_amount: walked.total_amount,
  });
  t.same(figures.block_info, {
    prevout_spent: 0,
    coinbase: 50,
    new_outputs_ex_coinbase: 0,
    unspendable: 0,
    unspendables: { genesis_block: 0, bip30: 0, scripts: 0, unclaimed_rewards: 0 },
  });
  t.equal((await node.call('gettxoutsetinfo', 'muhash', null, false)).muhash, walked.muhash, 'a walk on demand');
  t.match(await node.call('gettxoutsetinfo', 'none', 5), { height: 5, bestblock: hashes[4], txouts: 5, total_amount: 250 });
  t.match(await node.call('gettxoutsetinfo', 'none', hashes[4]), { height: 5 });
  t.equal(
    await fault(node.call('gettxoutsetinfo', 'hash_serialized_3', 5)),
    '-8 hash_serialized_3 hash type cannot be queried for a specific block',
  );
  t.equal(await fault(node.call('gettxoutsetinfo', 'none', 121)), '-8 Target block height 121 after current tip 120');

  // The filter contains only one script, because every block pays to the same script. So the filters of these blocks
  // differ only in the key, which comes from the block hash.
  const filter = await node.call('getblockfilter', hashes[7]);
  t.match(filter, { filter: /^01[0-9a-f]{6}$/, header: /^[0-9a-f]{64}$/ });
  t.equal(await fault(node.call('getblockfilter', '00'.repeat(32))), '-5 Block not found');

  // After each kill the indexes must continue where they stopped, and must contain every block that a call had
  // returned.
  const more: string[] = [];
  for (let kill = 0; kill < 3; kill++) {
    // The last round pays another address. With the same address, generatetoaddress could produce a block again that
    // the round before marked as invalid.
    const payee = kill === 2 ? OTHER : ADDRESS;
    more.push(...(await node.call('generatetoaddress', 15, payee)));
    if (kill === 1) await node.call('invalidateblock', more.splice(-4)[0]);
    await node.kill();
    await node.up(...on);
  }
  const height = 120 + more.length;
  await until('the indexes are in step', async () =>
    Object.values(await node.call('getindexinfo')).every((index) => (index as { synced: boolean }).synced),
  );
  t.same(await node.call('getindexinfo'), all(height));
  for (const hash of [...hashes.slice(-2), ...more]) {
    t.equal((await node.call('getrawtransaction', await coinbaseOf(hash), true)).blockhash, hash);
    t.ok((await node.call('getblockfilter', hash)).filter);
  }
  t.equal((await node.call('gettxoutsetinfo', 'muhash')).muhash, (await node.call('gettxoutsetinfo', 'muhash', null, false)).muhash);
  t.same(await node.stop(), { code: 0, signal: null });
});

t.test('refuses unknown block filter types', async (t) => {
  await t.rejects(Daemon.start('-blockfilterindex=fancy'), /Unknown -blockfilterindex value fancy\./);
});
