// Cuts while Stratum V2 clients hand in blocks. A block whose file is on the disk is in the chain afterwards as far as
// its parents are there, and waits for them otherwise; in the end no file is left behind.
import fs from 'node:fs';
import path from 'node:path';
import { type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { Daemon, freePort } from '../../framework/daemon.js';
import { serializeTx } from '../../framework/messages.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { Sv2Client, solve } from '../../framework/sv2-client.js';
import { until } from '../../framework/until.js';
import type { Cut } from '../cuts.js';
import { Recorder } from '../recording.js';
import { byDaemon, type Phase, RUN_UP, type Story } from './phase.js';

const OPTIONS = ['-fronts=1', '-par=1', '-disablewallet', '-sv2', '-acceptnonstdtxn=1', '-datacarriersize=100000'] as const;
const START = 1_700_000_000;
const BLOCKS = 12;
/** Payload of a payment in a block: gives files of many sectors, and of one. */
const MOST_PAYLOAD_BYTES = 30_000;
const FOLDER = path.join('regtest', 'sv2-solutions');

interface Solved {
  readonly hashHex: string;
  readonly bytes: Buffer;
}

const withPort = async (): Promise<string[]> => [...OPTIONS, `-sv2port=${await freePort()}`];

/** Gives the next block something to hold. */
async function pay(node: Daemon, ripe: BuiltBlock, payload: number): Promise<void> {
  const coin = reward(ripe);
  // OP_RETURN, OP_PUSHDATA2
  const data = Buffer.concat([Buffer.from([0x6a, 0x4d, payload & 0xff, payload >> 8]), Buffer.alloc(payload, 0x51)]);
  const tx = spend(
    [coin],
    [
      { value: coin.value - 1_000_000, script: Buffer.from(`0014${'33'.repeat(20)}`, 'hex') },
      { value: 0, script: data },
    ],
  );
  await node.call('sendrawtransaction', serializeTx(tx).toString('hex'), 0);
}

async function tell(seed: number, shim: string): Promise<Story> {
  const random = pseudoRandom(seed);
  const base = await Daemon.start(...OPTIONS.filter((option) => option !== '-sv2'));
  const chain = [buildBlock(GENESIS, { time: START })];
  while (chain.length < RUN_UP + BLOCKS) chain.push(buildBlock(chain.at(-1)!, { time: START + chain.length }));
  for (const { bytes } of chain) await base.call('submitblock', bytes.toString('hex'));
  await base.stop();
  const options = await withPort();
  const recorder = await Recorder.over(base.dir, shim, options);
  await base.remove();
  const { node } = recorder;
  recorder.say({ fact: 'started' });
  await node.up();
  const solved: Solved[] = [];
  const client = await Sv2Client.start(Number(options.at(-1)!.split('=')[1]));
  while (solved.length < BLOCKS) {
    const isLarge = random() < 0.7;
    if (isLarge) await pay(node, chain[solved.length]!, Math.floor(random() * MOST_PAYLOAD_BYTES));
    const tip = await node.call('getbestblockhash');
    const shownTip = (): string => Buffer.from(client.prevHash!.prevHash).reverse().toString('hex');
    await client.told(() => client.template !== null && client.prevHash !== null && shownTip() === tip);
    const { hashHex, ...solution } = solve(client.template!, client.prevHash!);
    client.submit({ hashHex, ...solution });
    await until('the block is the tip', async () => (await node.call('getbestblockhash')) === hashHex);
    solved.push({ hashHex, bytes: Buffer.from(await node.call('getblock', hashHex, 0), 'hex') });
    recorder.say({ fact: 'solved', hashHex });
  }
  client.close();
  await node.stop();
  recorder.say({ fact: 'stopped' });
  return {
    recording: await recorder.end(),
    options: OPTIONS,
    judge: async (image, cut) => byDaemon(await withPort(), (one) => judge(one, cut, solved))(image, cut),
  };
}

async function judge(node: Daemon, { surely }: Cut, solved: readonly Solved[]): Promise<string[]> {
  const wrong: string[] = [];
  const fileOf = ({ hashHex }: Solved): string => path.join(FOLDER, `${hashHex}.blk`);
  const inChain = async ({ hashHex }: Solved): Promise<boolean> =>
    (await node.call('getblockheader', hashHex).catch(() => null))?.confirmations > 0;
  const whole = (one: Solved): boolean => surely.get(fileOf(one))?.equals(one.bytes) === true;
  let [at, isReached] = [0, true];
  for (; at < solved.length && isReached; at += isReached ? 1 : 0) {
    const one = solved[at]!;
    if (whole(one)) await until(`block ${at} is in the chain`, () => inChain(one));
    else isReached = await inChain(one);
  }
  for (const one of solved.slice(at)) {
    if (whole(one) && !fs.existsSync(path.join(node.dir, fileOf(one)))) wrong.push(`the file of ${one.hashHex} is gone`);
  }
  for (const { bytes } of solved) await node.call('submitblock', bytes.toString('hex'));
  for (const one of solved) if (!(await inChain(one))) wrong.push(`${one.hashHex} is not in the chain`);
  await until('all files are gone', () => solved.every((one) => !fs.existsSync(path.join(node.dir, fileOf(one)))));
  if ((await node.call('verifychain', 4, 6)) !== true) wrong.push('verifychain found something');
  return wrong;
}

export const solving: Phase = { name: 'solving', tell };
