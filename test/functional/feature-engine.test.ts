// The download engine in real nodes: download from a peer, -reindex, -reindex-chainstate, a stop and SIGKILL in the middle,
// indexes and a wallet. Each time the coins and the undo data are those of a node without the engine.
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { GENESIS_BYTES, writeBlocksFolder } from '../framework/blocks-folder.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, NO_ONE, reward, spend } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { until } from '../framework/until.js';

const ASSUMED_HEIGHT = 460;
/** More than two weeks of blocks bury the assumed-valid block. */
const BURIED = 2_020;

/** Blocks with spends whose scripts fail: only -assumevalid makes them valid. */
function build(): BuiltBlock[] {
  const blocks = buildChain(GENESIS, 104, { script: NO_ONE });
  for (let i = 0; blocks.length < ASSUMED_HEIGHT; i++) {
    const coin = reward(blocks[i]!);
    const outs = [0, 1, 2].map((k) => ({ value: 1_000 + k, script: ANYONE }));
    blocks.push(buildBlock(blocks.at(-1)!, { txs: [spend([coin], outs)], fees: coin.value - 3_003 }));
  }
  return [...blocks, ...buildChain(blocks.at(-1)!, BURIED)];
}

const blocks = build();
const last = blocks.at(-1)!;
const options = [`-assumevalid=${blocks[ASSUMED_HEIGHT - 1]!.hashHex}`, '-par=2', '-checkblocks=1'];
const engine = [...options, '-engine=1'];

interface Facts {
  readonly coins: unknown;
  readonly stats: unknown;
}

async function factsOf(node: Daemon): Promise<Facts> {
  const { bestblock, muhash, txouts, total_amount, height } = (await node.call('gettxoutsetinfo', 'muhash')) as Record<string, unknown>;
  // getblockstats reads the undo data.
  const stats = [];
  for (const at of [1, 110, 300, ASSUMED_HEIGHT]) stats.push(await node.call('getblockstats', at));
  return { coins: { bestblock, muhash, txouts, total_amount, height }, stats };
}

const log = (node: Daemon): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'latin1');
const count = (text: string, part: string): number => text.split(part).length - 1;
const STARTS = 'The download engine connects blocks from height ';
const ENDS = 'The download engine has ended at height ';

async function synced(node: Daemon): Promise<void> {
  await until('the whole chain', async () => (await node.call('getblockcount')) === last.height);
}

let source: Daemon;
let port: number;
let expected: Facts;

t.before(async () => {
  port = await freePort();
  source = await Daemon.start(`-port=${port}`, '-bind=127.0.0.1', '-whitelist=noban@127.0.0.1', ...options, '-debug=validation');
  await source.stop();
  fs.rmSync(path.join(source.networkDir, 'blocks'), { recursive: true });
  writeBlocksFolder(path.join(source.networkDir, 'blocks'), [GENESIS_BYTES, ...blocks.map(({ bytes }) => bytes)]);
  await source.up('-reindex');
  await synced(source);
  expected = await factsOf(source);
  t.notMatch(log(source), STARTS, 'the engine is off by default');
});
t.teardown(() => source.remove());

/** Checks that the engine connected all blocks that it may, and that the result is the same as without it. */
async function assertConnected(t: Test, node: Daemon, text: string): Promise<void> {
  t.match(text, `${ENDS}${ASSUMED_HEIGHT}`);
  t.notMatch(text, 'The download engine has failed');
  t.same(await factsOf(node), expected);
  t.equal(await node.call('verifychain', 3, 500), true);
}

t.test('downloads from a peer, and starts again from what it has', async (t) => {
  const node = await Daemon.start(...engine, `-connect=127.0.0.1:${port}`, '-bind=127.0.0.1', `-port=${await freePort()}`);
  t.teardown(() => node.remove());
  await synced(node);
  const first = log(node);
  t.equal(count(first, STARTS), 1);
  await assertConnected(t, node, first);
  await node.stop();

  await node.up('-reindex-chainstate');
  await synced(node);
  const second = log(node).slice(first.length);
  await assertConnected(t, node, second);
  await node.stop();

  const before = log(node).length;
  await node.up('-reindex');
  await synced(node);
  await assertConnected(t, node, log(node).slice(before));
});

t.test('continues after SIGKILL and after clean stops in the middle', async (t) => {
  const node = await Daemon.start(...engine, '-connect=0', '-listen=0');
  t.teardown(() => node.remove());
  await node.stop();
  fs.rmSync(path.join(node.networkDir, 'blocks'), { recursive: true });
  writeBlocksFolder(path.join(node.networkDir, 'blocks'), [GENESIS_BYTES, ...blocks.map(({ bytes }) => bytes)]);
  await node.up('-reindex', '-stopatheight=400').catch(() => undefined);
  await until('the stop', async () => node.exit !== undefined);
  t.match(log(node), 'Stopping at height 400');
  let more = ['-reindex-chainstate'];
  for (let kill = 0; kill < 6; kill++) {
    const at = log(node).length;
    await node.up(...more);
    more = [];
    await until(
      'the engine or the end',
      async () => log(node).slice(at).includes(STARTS) || (await node.call('getblockcount')) === last.height,
    );
    if (kill % 2 === 0) await node.kill();
    else await node.stop();
    if (kill === 2) more = ['-reindex-chainstate'];
  }
  await node.up();
  await synced(node);
  t.same(await factsOf(node), expected);
  t.equal(await node.call('verifychain', 3, 0), true);
});

t.test('indexes and wallets get the blocks that the engine connected', async (t) => {
  const node = await Daemon.start(...engine, '-txindex', '-blockfilterindex', '-coinstatsindex', '-connect=0', '-listen=0');
  t.teardown(() => node.remove());
  await node.call('createwallet', 'w', true, true, '', false, true);
  const { descriptor } = await node.call('getdescriptorinfo', 'raw(51)');
  t.match(await node.callWallet('w', 'importdescriptors', [{ desc: descriptor, timestamp: 0 }]), [{ success: true }]);
  await node.call('addnode', `127.0.0.1:${port}`, 'onetry');
  await synced(node);
  await assertConnected(t, node, log(node));
  await until('the indexes', async () => {
    const indexes: readonly { synced: boolean; best_block_height: number }[] = Object.values(await node.call('getindexinfo'));
    return indexes.length === 3 && indexes.every((one) => one.synced && one.best_block_height === last.height);
  });
  const { muhash } = await node.call('gettxoutsetinfo', 'muhash', last.height);
  t.match(expected.coins, { muhash }, 'the index of coin statistics');
  const { hash, tx } = await node.call('getblock', await node.call('getblockhash', 300));
  t.match(await node.call('getrawtransaction', tx[1], true), { blockhash: hash });
  t.type((await node.call('getblockfilter', hash)).filter, 'string');
  await until('the wallet', async () => (await node.callWallet('w', 'getwalletinfo')).lastprocessedblock.height === last.height);
  const { mine } = await node.callWallet('w', 'getbalances');
  const { total_amount } = await node.call('scantxoutset', 'start', ['raw(51)']);
  t.ok(total_amount > 0);
  t.equal((mine.trusted + mine.immature).toFixed(8), total_amount.toFixed(8));
});
