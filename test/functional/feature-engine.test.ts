// The download engine in real nodes: download from a peer, -reindex, -reindex-chainstate, a stop and SIGKILL in the middle,
// indexes and a wallet. Each time the coins and the undo data are those of a node without the engine.
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { SighashCache } from '../../src/consensus/script/sighash.js';
import { parseTx } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { GENESIS_BYTES, writeBlocksFolder } from '../framework/blocks-folder.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, NO_ONE, reward, spend } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { testKey } from '../framework/keys.js';
import { serializeTx } from '../framework/messages.js';
import { freePort } from '../framework/ports.js';
import { SPEND_KINDS, scriptFor, unlock } from '../framework/signed-spends.js';
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
const plain = [...options, '-engine=0'];

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
const REGTEST_MAGIC = Buffer.from('fabfb5da', 'hex');
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
  source = await Daemon.start(`-port=${port}`, '-bind=127.0.0.1', '-whitelist=noban@127.0.0.1', ...plain, '-debug=validation');
  await source.stop();
  fs.rmSync(path.join(source.networkDir, 'blocks'), { recursive: true });
  writeBlocksFolder(path.join(source.networkDir, 'blocks'), [GENESIS_BYTES, ...blocks.map(({ bytes }) => bytes)]);
  await source.up('-reindex');
  await synced(source);
  expected = await factsOf(source);
  t.notMatch(log(source), STARTS, '-engine=0 switches the engine off');
});
t.teardown(() => source.remove());

/** Checks that the engine connected all blocks that it may, and that the result is the same as without it. */
async function assertConnected(t: Test, node: Daemon, logAt = 0): Promise<void> {
  await until('the end of the engine', async () => log(node).includes(`${ENDS}${last.height}`, logAt));
  t.notMatch(log(node), 'The download engine has failed');
  t.same(await factsOf(node), expected);
  t.equal(await node.call('verifychain', 3, 50), true);
}

t.test('downloads from a peer, and starts again from what it has', async (t) => {
  const node = await Daemon.start(...options, `-connect=127.0.0.1:${port}`, '-bind=127.0.0.1', `-port=${await freePort()}`);
  t.teardown(() => node.remove());
  await synced(node);
  const first = log(node);
  t.equal(count(first, STARTS), 1);
  await assertConnected(t, node);
  await node.stop();

  await node.up('-reindex-chainstate');
  await synced(node);
  await assertConnected(t, node, first.length);
  await node.stop();

  const before = log(node).length;
  await node.up('-reindex');
  await synced(node);
  await assertConnected(t, node, before);
});

t.test('continues after SIGKILL and after clean stops in the middle', async (t) => {
  const node = await Daemon.start(...options, '-connect=0', '-listen=0');
  t.teardown(() => node.remove());
  await node.stop();
  fs.rmSync(path.join(node.networkDir, 'blocks'), { recursive: true });
  writeBlocksFolder(path.join(node.networkDir, 'blocks'), [GENESIS_BYTES, ...blocks.map(({ bytes }) => bytes)]);
  await node.up('-reindex', '-stopatheight=400').catch(() => undefined);
  await until('the stop', async () => node.exit !== undefined);
  t.match(log(node), 'Stopping at height 400');
  let more = ['-reindex-chainstate'];
  for (let kill = 0; kill < 4; kill++) {
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
  const node = await Daemon.start(...options, '-txindex', '-blockfilterindex', '-coinstatsindex', '-connect=0', '-listen=0');
  t.teardown(() => node.remove());
  await node.call('createwallet', 'w', true, true, '', false, true);
  const { descriptor } = await node.call('getdescriptorinfo', 'raw(51)');
  t.match(await node.callWallet('w', 'importdescriptors', [{ desc: descriptor, timestamp: 0 }]), [{ success: true }]);
  await node.call('addnode', `127.0.0.1:${port}`, 'onetry');
  await synced(node);
  await assertConnected(t, node);
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

/** Number of blocks with signed spends: with those before, enough for the engine to start. */
const SIGNED = 220;

/** Blocks with spends that need signatures. @param broken height of a block with a wrong signature; 0 for none */
function buildSigned(broken: number): BuiltBlock[] {
  const crypto = createNativeCrypto();
  const keys = SPEND_KINDS.map((_, k) => testKey(k));
  const lock = (i: number): Buffer => Buffer.from(scriptFor(SPEND_KINDS[i % 3]!, keys[i % 3]!, crypto));
  const blocks: BuiltBlock[] = [];
  while (blocks.length < 104) blocks.push(buildBlock(blocks.at(-1) ?? GENESIS, { script: lock(blocks.length) }));
  for (let i = 0; i < SIGNED; i++) {
    const first = reward(blocks[i]!);
    const script = lock(i);
    const tx = spend([first], [{ value: first.value, script }]);
    const spent = [{ value: first.value, script }];
    const hashes = new SighashCache(parseTx(new Uint8Array(serializeTx(tx)), crypto), crypto, spent);
    const { scriptSig, witness } = unlock(SPEND_KINDS[i % 3]!, keys[i % 3]!, 0, hashes, crypto, first.value);
    Object.assign(tx.ins[0]!, { script: scriptSig, witness });
    if (blocks.length + 1 === broken) (witness[0] ?? scriptSig)[50]! ^= 1;
    blocks.push(buildBlock(blocks.at(-1)!, { txs: [tx], script: lock(blocks.length) }));
  }
  return blocks;
}

t.test('checks all scripts without an assumed-valid block, of stored blocks and of a file of -loadblock', async (t) => {
  const signed = buildSigned(0);
  const tip = signed.at(-1)!;
  const facts: unknown[] = [];
  for (const source of ['-engine=0', '-reindex', '-loadblock']) {
    const node = await Daemon.start('-assumevalid=0', '-par=2', '-connect=0', '-listen=0');
    t.teardown(() => node.remove());
    const more = [source];
    if (source === '-loadblock') {
      // The engine connects blocks of a file if their headers are known.
      for (const { header } of signed) await node.call('submitheader', header.toString('hex'));
      await node.stop();
      const file = path.join(node.dir, 'bootstrap.dat');
      const length = (bytes: Buffer): Buffer => Buffer.from(Uint32Array.of(bytes.length).buffer);
      fs.writeFileSync(file, Buffer.concat(signed.flatMap(({ bytes }) => [REGTEST_MAGIC, length(bytes), bytes])));
      more[0] = `-loadblock=${file}`;
    } else {
      await node.stop();
      fs.rmSync(path.join(node.networkDir, 'blocks'), { recursive: true });
      writeBlocksFolder(path.join(node.networkDir, 'blocks'), [GENESIS_BYTES, ...signed.map(({ bytes }) => bytes)]);
      if (source === '-engine=0') more.push('-reindex');
    }
    const at = log(node).length;
    await node.up(...more);
    await until('the whole chain', async () => (await node.call('getblockcount')) === tip.height);
    const { bestblock, muhash } = (await node.call('gettxoutsetinfo', 'muhash')) as Record<string, unknown>;
    facts.push({ bestblock, muhash, stats: await node.call('getblockstats', 200) });
    const withEngine = source !== '-engine=0';
    // The engine may leave the last blocks of a file to other code.
    const mark = source === '-loadblock' ? STARTS : `${ENDS}${tip.height}`;
    await until('the work of the engine', async () => log(node).includes(mark, at) === withEngine);
    t.equal(log(node).includes('Wrote the coins of the download engine: height ', at), withEngine);
    t.notMatch(log(node), 'The download engine has failed');
    await node.stop();
  }
  t.same(facts.slice(1), [facts[0], facts[0]]);
});

t.test('leaves a block with a wrong signature to the ordinary code', async (t) => {
  const height = 250;
  const signed = buildSigned(height);
  const found: unknown[] = [];
  for (const more of [['-engine=0'], []]) {
    const node = await Daemon.start('-assumevalid=0', '-par=2', '-connect=0', '-listen=0', ...more);
    t.teardown(() => node.remove());
    await node.stop();
    fs.rmSync(path.join(node.networkDir, 'blocks'), { recursive: true });
    writeBlocksFolder(path.join(node.networkDir, 'blocks'), [GENESIS_BYTES, ...signed.map(({ bytes }) => bytes)]);
    await node.up('-reindex');
    await until('the verdict', async () =>
      (await node.call('getchaintips')).some(({ status }: { status: string }) => status === 'invalid'),
    );
    await until('the last valid block', async () => (await node.call('getblockcount')) === height - 1);
    const { muhash } = (await node.call('gettxoutsetinfo', 'muhash')) as Record<string, unknown>;
    found.push({ muhash, tips: await node.call('getchaintips'), reason: /[a-z-]+script-verify-flag-failed[^\n]*/.exec(log(node))?.[0] });
    t.equal(count(log(node), 'The download engine has failed: block 250 '), more.length === 0 ? 1 : 0);
    await node.stop();
  }
  t.type((found[0] as { reason?: string }).reason, 'string');
  t.same(found[1], found[0]);
});
