// Tests -prune with real processes and small block files: options and calls that are refused, replies about blocks that
// were removed, wallets and indexes that need removed blocks, services for peers, leaving pruned mode with -reindex,
// and automatic pruning.
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { type BuiltBlock, buildBlock, GENESIS } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { unshown } from '../framework/messages.js';
import { invPayload, locatorPayload, P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const BLOCK = 2;
const REFUSAL =
  /^Error: You need to rebuild the database using -reindex to go back to unpruned mode\. {2}This will redownload the entire blockchain\.\s+Please restart with -reindex or -reindex-chainstate to recover\./m;

const filesOf = (node: Daemon, kind: string): string[] =>
  fs
    .readdirSync(path.join(node.networkDir, 'blocks'))
    .filter((name) => name.startsWith(kind))
    .sort();

/** Starts the node with options that it must refuse. @returns what it printed */
async function refused(t: Test, node: Daemon, ...options: string[]): Promise<string> {
  const before = node.output().length;
  await t.rejects(node.up(...options), /the daemon ended/);
  return node.output().slice(before);
}

/** Builds a block without payments, made larger by an OP_RETURN output of `bytes` bytes in its coinbase. */
const heavy = (prev: BuiltBlock, bytes: number): BuiltBlock =>
  buildBlock(prev, { outs: [{ value: 0, script: Buffer.concat([Buffer.from([0x6a]), Buffer.alloc(bytes, 0x61)]) }] });

t.test('prunes block files on request (pruneblockchain)', async (t) => {
  const port = await freePort();
  const options = [`-port=${port}`, '-bind=127.0.0.1', '-connect=0', '-fastprune'];
  const node = await Daemon.startFor(t, ...options);
  await t.rejects(node.call('pruneblockchain', 1), { code: -1, message: 'Cannot prune blocks because node is not in prune mode.' });
  t.equal((await node.call('getblockchaininfo')).pruned, false);
  t.notOk('pruneheight' in (await node.call('getblockchaininfo')));
  await node.stop();
  t.match(await refused(t, node, '-prune=1', '-txindex'), 'Error: Prune mode is incompatible with -txindex.');
  const pruned = (...more: string[]) => node.up('-prune=1', ...more);
  await pruned();
  await node.call('createwallet', 'old');
  await node.call('createwallet', 'fresh');
  const own: string = await node.callWallet('old', 'getnewaddress', '', 'legacy');
  const secret: string = await node.callWallet('old', 'dumpprivkey', own);
  await node.call('generatetoaddress', 50, ADDRESS);
  await t.rejects(node.call('pruneblockchain', 10), { code: -1, message: 'Blockchain is too short for pruning.' });
  await node.call('unloadwallet', 'old');
  for (let blocks = 50; blocks < 900; blocks += 50) await node.call('generatetoaddress', 50, ADDRESS);
  await t.rejects(node.call('pruneblockchain', -1), { code: -8, message: 'Negative block height.' });
  await t.rejects(node.call('pruneblockchain', 901), { code: -8, message: 'Blockchain is shorter than the attempted prune height.' });
  const late = 2_000_000_000;
  await t.rejects(node.call('pruneblockchain', late), {
    code: -8,
    message: 'Could not find block with at least the specified timestamp.',
  });
  const before = await node.call('getblockchaininfo');
  t.match(before, { pruned: true, pruneheight: 0, automatic_pruning: false });
  t.notOk('prune_target_size' in before);
  const files = filesOf(node, 'blk');
  t.ok(files.length >= 4, `${files.length} files`);
  t.equal(await node.call('pruneblockchain', 5), -1, 'no file ends so low');
  const hash: string = await node.call('getblockhash', 1);
  const whole = await node.call('getblock', hash);
  t.equal((await node.call('getblockstats', 1)).height, 1);
  const proof: string = await node.call('gettxoutproof', whole.tx, hash);

  const coins = await node.call('gettxoutsetinfo');
  const height: number = 1 + (await node.call('pruneblockchain', 890));
  t.ok(height > 100 && height <= 613, `stored from ${height} on`);
  const info = await node.call('getblockchaininfo');
  t.equal(info.pruneheight, height);
  t.ok(info.size_on_disk < before.size_on_disk);
  t.not(filesOf(node, 'blk')[0], 'blk00000.dat');
  t.same(
    filesOf(node, 'rev').map((name) => name.slice(3)),
    filesOf(node, 'blk').map((name) => name.slice(3)),
  );

  // All calls that need block 1 fail with this error.
  const gone = { code: -1, message: 'Block not available (pruned data)' };
  for (const verbosity of [0, 1, 2]) await t.rejects(node.call('getblock', hash, verbosity), gone);
  await t.rejects(node.call('getblockstats', hash), gone);
  await t.rejects(node.call('getblockstats', 1), gone);
  t.match(await node.call('getblockheader', hash), { height: 1, nTx: 1 });
  await t.rejects(node.call('getrawtransaction', whole.tx[0], true, hash), { code: -1, message: 'Block not available' });
  await t.rejects(node.call('gettxoutproof', whole.tx, hash), { code: -1, message: 'Block not available (pruned data)' });
  t.same(await node.call('verifytxoutproof', proof), whole.tx, 'a proof made before holds');
  t.ok(await node.call('gettxout', whole.tx[0], 0), 'the coins are all there');
  t.equal((await node.call('scantxoutset', 'start', [`addr(${ADDRESS})`])).unspents.length, 900);
  t.match(await node.call('gettxoutsetinfo'), { bestblock: coins.bestblock, hash_serialized_3: coins.hash_serialized_3 });
  t.equal(await node.call('verifychain', 4, 0), true);
  t.match(
    fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8'),
    `block verification stopping at height ${height - 1} (pruning, no data)`,
  );

  // Wallet calls that need removed blocks.
  const scanned = { code: -1, message: "Can't rescan beyond pruned data. Use RPC call getblockchaininfo to determine your pruned height." };
  await t.rejects(node.call('rescanblockchain'), scanned);
  await t.rejects(node.call('rescanblockchain', height - 1), scanned);
  t.same(await node.call('rescanblockchain', height), { start_height: height, stop_height: 900 });
  const disabled = { code: -4, message: 'Rescan is disabled when blocks are pruned' };
  await t.rejects(node.call('importprivkey', secret), disabled);
  await t.rejects(node.call('importaddress', ADDRESS), disabled);
  await t.rejects(node.call('importpubkey', '02'.padEnd(66, '1')), disabled);
  await t.rejects(node.call('importwallet', '/nowhere'), { code: -4, message: 'Importing wallets is disabled when blocks are pruned' });
  t.equal(await node.call('importprivkey', secret, '', false), null, 'without a scan');
  const [early, now] = await node.call('importmulti', [
    { scriptPubKey: { address: ADDRESS }, timestamp: 0 },
    { scriptPubKey: { address: 'bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry' }, timestamp: 'now' },
  ]);
  t.match(early, { success: false, error: { code: -1, message: /^Rescan failed for key with creation timestamp 0\..*caused by pruning/ } });
  t.equal(now.success, false, 'all blocks are of the last two hours');
  const beyond =
    'Prune: last wallet synchronisation goes beyond pruned data. You need to -reindex (download the whole blockchain again in case of pruned node)';
  await t.rejects(node.call('loadwallet', 'old'), { code: -4, message: `Wallet loading failed. ${beyond}` });

  // A reorganisation within the blocks that are kept.
  await node.call('invalidateblock', await node.call('getblockhash', 870));
  t.equal(await node.call('getblockcount'), 869);
  await node.call('reconsiderblock', info.bestblockhash);
  t.equal(await node.call('getbestblockhash'), info.bestblockhash);

  // Services for peers: the node announces NETWORK_LIMITED and sends only the last blocks.
  t.match(await node.call('getnetworkinfo'), {
    localservices: '0000000000000c08',
    localservicesnames: ['WITNESS', 'NETWORK_LIMITED', 'P2P_V2'],
  });
  const peer = await P2pClient.connect(port);
  const at = async (height: number) => unshown(await node.call('getblockhash', height));
  peer.send('getdata', invPayload([[BLOCK, await at(900 - 290)]]));
  await peer.next('block');
  peer.send('getblocks', locatorPayload([await at(620)]));
  t.equal((await peer.next('inv')).readUInt8(0), 253, 'a list of more than 252 hashes');
  peer.send('getdata', invPayload([[BLOCK, await at(900 - 291)]]));
  t.ok(await peer.ended(), 'who asks for more is left');

  // Restarts with and without options that pruned mode refuses.
  await node.stop();
  t.match(await refused(t, node), REFUSAL);
  t.match(await refused(t, node, '-reindex-chainstate'), REFUSAL);
  t.match(await refused(t, node, '-prune=1', '-wallet=old'), `Error: ${beyond}`);
  await pruned('-checkblocks=500');
  t.equal((await node.call('getblockchaininfo')).pruneheight, height);
  t.equal(await node.call('getbestblockhash'), info.bestblockhash);
  t.match(fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8'), 'Prune: pruned datadir may not have more than 288 blocks');
  await node.stop();
  t.match(await refusedIndex(node), /coinstatsindex best block of the index goes beyond pruned data\. Please disable the index or reindex/);
  await pruned('-reindex');
  t.equal(await node.call('getblockcount'), 0);
  t.same(filesOf(node, 'blk'), ['blk00000.dat'], 'blocks that lead nowhere are removed');
  t.equal((await node.call('getblockchaininfo')).pruneheight, 0);
  await node.stop();
  await node.up();
  t.equal(await node.call('getblockcount'), 0, 'nothing was pruned since');
});

/** Starts the node with an index that needs removed blocks; the node must end by itself. @returns the log of that run */
async function refusedIndex(node: Daemon): Promise<string> {
  await node.up('-prune=1', '-coinstatsindex').catch(() => undefined);
  await node.ended();
  return node.output();
}

t.test('prunes block files automatically past the target size', async (t) => {
  const node = await Daemon.startFor(
    t,
    '-fastprune',
    '-prune=2',
    '-coinstatsindex',
    '-blockfilterindex',
    '-peerblockfilters',
    '-debug=prune',
  );
  let tip: BuiltBlock = GENESIS;
  const target = 2 << 20;
  let most = 0;
  for (let n = 0; n < 420; n++) {
    tip = heavy(tip, 6_000);
    t.equal(await node.call('submitblock', tip.bytes.toString('hex')), null);
    if (n % 60 === 59) most = Math.max(most, (await node.call('getblockchaininfo')).size_on_disk);
  }
  // Files are removed only up to the height that both indexes have reached, and the chain checks this when a block file
  // grows by another chunk. So wait for the indexes, then add a block, and repeat.
  for (let n = 0; n < 12; n++) {
    const stands = async (): Promise<number[]> =>
      Object.values<{ best_block_height: number }>(await node.call('getindexinfo')).map(({ best_block_height }) => best_block_height);
    await until('both indexes', async () => (await stands()).filter((height) => height === tip.height).length === 2);
    tip = heavy(tip, 6_000);
    await node.call('submitblock', tip.bytes.toString('hex'));
  }
  await until('files are removed', async () => (await node.call('getblockchaininfo')).size_on_disk < target);
  const info = await node.call('getblockchaininfo');
  t.match(info, { pruned: true, automatic_pruning: true, prune_target_size: target, blocks: 432 });
  t.ok(info.size_on_disk < target, `${info.size_on_disk} bytes, ${most} on the way`);
  t.ok(info.pruneheight > 0 && info.pruneheight <= 432 - 288);
  t.ok(await node.call('getblock', await node.call('getblockhash', 432 - 288)));
  const log = fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8');
  t.match(log, /Prune: target=2MiB actual=1MiB diff=0MiB max_prune_height=\d+ removed \d+ blk\/rev pairs/);
  t.match(log, 'Prune: UnlinkPrunedFiles deleted blk/rev (00000)');
  t.match(await node.call('gettxoutsetinfo', 'muhash', 1), { height: 1 }, 'the index had read what is gone');
  const gone = await node.call('getblockhash', 1);
  await t.rejects(node.call('getblock', gone), { message: 'Block not available (pruned data)' });
  const filter = await node.call('getblockfilter', gone);
  t.match(filter, { filter: /^[0-9a-f]+$/, header: /^[0-9a-f]{64}$/ }, 'and the index of filters too');
  t.ok((await node.call('getnetworkinfo')).localservicesnames.includes('COMPACT_FILTERS'));
  await node.kill();
  await node.up();
  t.equal((await node.call('getblockchaininfo')).pruneheight, info.pruneheight);
  t.same(await node.call('getblockfilter', gone), filter);
  t.ok((await node.stop()).code === 0);
});
