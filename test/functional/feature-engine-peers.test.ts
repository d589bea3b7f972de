// The download engine in a real node whose peers lie: changed copies of blocks, other blocks, parts of blocks, blocks that
// never come. The engine goes on, with the blocks of an honest peer.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, NO_ONE, reward, spend } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { serveBlocks } from '../framework/serve-blocks.js';
import { until } from '../framework/until.js';

const ASSUMED_HEIGHT = 400;
/** More than two weeks of blocks bury the assumed-valid block. */
const BURIED = 2_020;

/** Blocks with spends whose scripts fail: only -assumevalid makes them valid. */
function build(): BuiltBlock[] {
  const blocks = buildChain(GENESIS, 104, { script: NO_ONE });
  for (let i = 0; blocks.length < ASSUMED_HEIGHT; i++) {
    const coin = reward(blocks[i]!);
    blocks.push(buildBlock(blocks.at(-1)!, { txs: [spend([coin], [{ value: 1_000, script: ANYONE }])], fees: coin.value - 1_000 }));
  }
  return [...blocks, ...buildChain(blocks.at(-1)!, BURIED)];
}

const blocks = build();

function changed(block: BuiltBlock, at: number): Buffer {
  const bytes = Buffer.from(block.bytes);
  bytes[at]! ^= 1;
  return bytes;
}

/** Lies about a block, each with the same header. */
const LIES: Record<string, (block: BuiltBlock) => Buffer> = {
  'an amount is changed': (block) => changed(block, block.bytes.length - 12),
  'a lock time is changed': (block) => changed(block, block.bytes.length - 1),
  'it has the transactions of another block': (block) =>
    Buffer.concat([block.header, (blocks[block.height] as BuiltBlock).bytes.subarray(block.header.length)]),
  'it ends early': ({ bytes }) => bytes.subarray(0, bytes.length - 3),
  'it has no transactions': ({ header }) => Buffer.concat([header, Buffer.alloc(1)]),
};

t.test('goes on after changed copies of blocks, and after blocks that do not come', async (t) => {
  const port = await freePort();
  const assumed = blocks[ASSUMED_HEIGHT - 1]!.hashHex;
  const node = await Daemon.start(`-port=${port}`, '-bind=127.0.0.1', '-par=2', `-assumevalid=${assumed}`, '-debug=net');
  t.teardown(() => node.remove());
  const log = (): string => fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'latin1');
  const starts = 'The download engine connects blocks from height ';
  const stingy = await P2pClient.connect(port, { startHeight: blocks.length });
  let withheld: BuiltBlock | null = null;
  const served = serveBlocks(stingy, blocks, (block) => {
    withheld ??= block;
    return block === withheld ? null : block.bytes;
  }).catch(() => {});
  await until('a withheld block', async () => withheld !== null);
  for (const [name, lie] of Object.entries(LIES)) {
    const liar = await P2pClient.connect(port, { startHeight: blocks.length });
    let lied: BuiltBlock | null = null;
    // The lowest block is wrong, and all others are right.
    await serveBlocks(liar, blocks, (block) => {
      lied ??= block;
      return block === lied ? lie(block) : block.bytes;
    }).catch(() => {});
    // While one peer withholds a block, the node requests no blocks that are far above it.
    await served;
    t.ok(liar.closed, `a peer is disconnected whose block is wrong: ${name}`);
  }
  t.equal(log().split('The download engine has refused a copy').length - 1, Object.keys(LIES).length);
  const honest = await P2pClient.connect(port, { startHeight: blocks.length });
  void serveBlocks(honest, blocks, ({ bytes }) => bytes).catch(() => {});
  await until('all blocks', async () => (await node.call('getblockcount')) === blocks.length);
  t.notOk(honest.closed);
  honest.close();
  await until('the end of the engine', async () => log().includes(`The download engine has ended at height ${blocks.length}`));
  const text = log();
  t.equal(text.split(starts).length - 1, 1, 'one run');
  t.notMatch(text, 'The download engine has failed');
  t.equal(await node.call('verifychain', 3, 0), true);
});
