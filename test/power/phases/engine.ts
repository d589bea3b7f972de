// Cuts while the download engine connects blocks of a peer, with a checkpoint in each pause of the peer. A start then has
// at least the last checkpoint, with or without the engine, and the blocks that are missing lead to the coins of a chain
// that was never cut.
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, NO_ONE, reward, spend } from '../../framework/chain-builder.js';
import { Daemon } from '../../framework/daemon.js';
import { P2pClient } from '../../framework/p2p-client.js';
import { freePort } from '../../framework/ports.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { serveBlocks } from '../../framework/serve-blocks.js';
import { until } from '../../framework/until.js';
import { Recorder } from '../recording.js';
import { byDaemon, type Phase, type Story } from './phase.js';

const LAST = 330;
/** More than two weeks of blocks bury the assumed-valid block. Only their headers are sent. */
const BURIED = 2_020;
/** Pauses of the peer. */
const PAUSES = 4;
const OPTIONS = ['-fronts=1', '-par=2', '-disablewallet'] as const;

/** Blocks with spends whose scripts fail: only -assumevalid makes them valid. */
function build(): BuiltBlock[] {
  const blocks = buildChain(GENESIS, 104, { script: NO_ONE });
  for (let i = 0; blocks.length < LAST; i++) {
    const coin = reward(blocks[i]!);
    const outs = Array.from({ length: 20 }, (_, k) => ({ value: 1_000 + k, script: ANYONE }));
    const all = outs.reduce((sum, { value }) => sum + value, 0);
    blocks.push(buildBlock(blocks.at(-1)!, { txs: [spend([coin], outs)], fees: coin.value - all }));
  }
  return blocks;
}

async function give(node: Daemon, blocks: readonly BuiltBlock[]): Promise<void> {
  for (const { bytes } of blocks) await node.call('submitblock', bytes.toString('hex'));
}

async function record(more: readonly string[], seed: number, shim: string): Promise<Story> {
  const random = pseudoRandom(seed);
  const blocks = build();
  const chain = [...blocks, ...buildChain(blocks.at(-1)!, BURIED)];
  const assumed = `-assumevalid=${blocks.at(-1)!.hashHex}`;
  const options = [...OPTIONS, assumed, ...more];
  const calm = await Daemon.start(...OPTIONS, '-engine=0', assumed);
  for (const { header } of chain) await calm.call('submitheader', header.toString('hex'));
  await give(calm, blocks);
  const { muhash } = await calm.call('gettxoutsetinfo', 'muhash');
  await calm.remove();

  const port = await freePort();
  const base = await Daemon.start(...options);
  await base.stop();
  const recorder = await Recorder.over(base.dir, shim, [...options, '-listen', `-port=${port}`, '-bind=127.0.0.1']);
  await base.remove();
  const { node } = recorder;
  recorder.say({ fact: 'checkpoint', height: 0 });
  await node.up();
  const peer = await P2pClient.connect(port, { startHeight: chain.length });
  let limit = 0;
  let withheld: BuiltBlock[] = [];
  const served = serveBlocks(peer, chain, (block) => {
    if (block.height <= limit) return block.bytes;
    withheld.push(block);
    return null;
  }).catch(() => {});
  for (let pause = 1; pause <= PAUSES; pause++) {
    limit = pause === PAUSES ? LAST : Math.max(limit + 1, Math.floor((LAST * (pause - random())) / PAUSES));
    const now = withheld.filter(({ height }) => height <= limit);
    withheld = withheld.filter(({ height }) => height > limit);
    for (const { bytes } of now) peer.send('block', bytes);
    await until('a checkpoint', async () => (await node.call('getblockcount')) === limit);
    recorder.say({ fact: 'checkpoint', height: limit });
  }
  await node.stop();
  peer.close();
  await served;

  const judge = byDaemon(options, async (node, { said }) => {
    const least = (said.at(-1) as { height: number }).height;
    const found = await node.call('getblockcount');
    const wrong = found < least ? [`the tip is at ${found} and not at ${least}`] : [];
    for (const { header } of chain) await node.call('submitheader', header.toString('hex'));
    await give(node, blocks);
    await until('all blocks', async () => (await node.call('getblockcount')) === LAST);
    const coins = await node.call('gettxoutsetinfo', 'muhash');
    if (coins.muhash !== muhash) wrong.push(`other coins: ${coins.muhash}`);
    if ((await node.call('verifychain', 3, 0)) !== true) wrong.push('verifychain found something');
    return wrong;
  });
  // Half of the starts are made without the engine.
  const plain = byDaemon([...options, '-engine=0'], async () => []);
  const either: Story['judge'] = async (image, cut) => [
    ...(cut.number % 2 === 0 ? await plain(image, cut) : []),
    ...(await judge(image, cut)),
  ];
  return { recording: await recorder.end(), options, judge: either };
}

const withEngine = (name: string, ...more: string[]): Phase => ({ name, tell: (seed, shim) => record(more, seed, shim) });

export const checkpoints = withEngine('checkpoints', '-dbbatchsize=4000');
