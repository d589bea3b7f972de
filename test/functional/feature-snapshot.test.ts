// Tests a node that begins with the coins of a snapshot. The chain is the one whose snapshot Core's regtest parameters
// list for height 200. One daemon makes the chain and writes the snapshot; another loads it, is killed meanwhile, and
// then validates the blocks below the snapshot.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { GENESIS } from '../framework/chain-builder.js';
import { coreChain } from '../framework/core-chain.js';
import { Daemon, refusal } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';

const BASE = 200;
/** Values from Core's src/kernel/chainparams.cpp. */
const BASE_HASH = '385901ccbd69dff6bbd00065d01fb8a9e464dede7cfe0372443884f9b1dcf6b9';
const COINS_HASH = '17dcc016d188d16068907cdeb38b75691a118d43053b8cd6a25969419381d13a';

const hex = (bytes: Buffer): string => bytes.toString('hex');

t.test('loads a snapshot of coins and validates it in the background', async (t) => {
  const blocks = coreChain(BASE + 20);
  t.equal(blocks[BASE - 1]!.hashHex, BASE_HASH);
  const port = await freePort();
  const full = await Daemon.startFor(t, `-port=${port}`, '-listen=1', '-connect=0', '-maxtipage=9999999999');
  for (const block of blocks.slice(0, BASE)) await full.call('submitblock', hex(block.bytes));
  const file = path.join(full.dir, 'coins.dat');
  t.match(await full.call('dumptxoutset', file, 'latest'), { coins_written: BASE, base_hash: BASE_HASH, txoutset_hash: COINS_HASH });
  for (const block of blocks.slice(BASE)) await full.call('submitblock', hex(block.bytes));

  const node = await Daemon.startFor(t, `-port=${await freePort()}`, '-listen=1', '-connect=0', '-maxtipage=9999999999', '-txindex=1');
  const services = async (): Promise<string[]> => (await node.call('getnetworkinfo')).localservicesnames;
  t.ok((await services()).includes('NETWORK'));
  t.equal(
    await refusal(node.call('loadtxoutset', 'none.dat')),
    `-8 Couldn't open file ${path.join(node.networkDir, 'none.dat')} for reading.`,
  );
  t.equal(
    await refusal(node.call('loadtxoutset', file)),
    `-32603 Unable to load UTXO snapshot: The base block header (${BASE_HASH}) must appear in the headers chain. Make sure all headers are syncing, and call loadtxoutset again. (${file})`,
  );
  for (const { header } of blocks) await node.call('submitheader', hex(header));
  const mutated = path.join(node.dir, 'spoilt.dat');
  const bytes = fs.readFileSync(file);
  bytes[51]! ^= 1;
  fs.writeFileSync(mutated, bytes);
  t.match(
    await refusal(node.call('loadtxoutset', mutated)),
    new RegExp(`Population failed: Bad snapshot content hash: expected ${COINS_HASH}, got `),
  );
  bytes[0]! ^= 1;
  fs.writeFileSync(mutated, bytes);
  t.match(await refusal(node.call('loadtxoutset', mutated)), /^-22 Unable to parse metadata: Invalid UTXO set snapshot magic bytes\./);
  t.equal(await node.call('getblockcount'), 0);

  t.same(await node.call('loadtxoutset', file), { coins_loaded: BASE, tip_hash: BASE_HASH, base_height: BASE, path: file });
  t.equal(await node.call('getbestblockhash'), BASE_HASH);
  t.match(await refusal(node.call('loadtxoutset', file)), /Can't activate a snapshot-based chainstate more than once/);
  t.equal(await refusal(node.call('getblock', BASE_HASH)), '-1 Block not available (not fully downloaded)');
  t.equal((await node.call('gettxoutsetinfo', 'none')).txouts, BASE);
  t.same(await services(), ['WITNESS', 'NETWORK_LIMITED', 'P2P_V2']);
  t.match(
    await node.call('getblocktemplate', { rules: ['segwit'] }),
    { height: BASE + 1, previousblockhash: BASE_HASH },
    'miners need not wait',
  );
  t.match((await node.call('getblockchaininfo')).backgroundvalidation, { snapshotheight: BASE, blocks: 0, bestblockhash: GENESIS.hashHex });
  node.child!.kill('SIGKILL');
  await until('the process ended', () => node.exit !== undefined);
  await node.up();
  t.match(await node.call('getchainstates'), {
    chainstates: [
      { blocks: 0, validated: true },
      { blocks: BASE, bestblockhash: BASE_HASH, snapshot_blockhash: BASE_HASH, validated: false },
    ],
  });
  t.notOk((await services()).includes('NETWORK'));

  await node.call('addnode', `127.0.0.1:${port}`, 'onetry');
  await until('the history is validated', async () => (await node.call('getchainstates')).chainstates.length === 1);
  await until('the chain is in step', async () => (await node.call('getblockcount')) === BASE + 20);
  t.match(await node.call('getchainstates'), { chainstates: [{ blocks: BASE + 20, snapshot_blockhash: BASE_HASH, validated: true }] });
  t.ok((await services()).includes('NETWORK'));
  t.equal(await node.call('verifychain', 4, 0), true);
  await until('the index is complete', async () => (await node.call('getindexinfo')).txindex.best_block_height === BASE + 20);
  t.same(await node.call('gettxoutsetinfo', 'muhash'), {
    ...(await full.call('gettxoutsetinfo', 'muhash')),
    disk_size: (await node.call('gettxoutsetinfo', 'none')).disk_size,
  });
  await node.stop();
  await node.up();
  t.equal('snapshot_blockhash' in (await node.call('getchainstates')).chainstates[0], false);
  t.equal(await node.call('getblockcount'), BASE + 20);
});
