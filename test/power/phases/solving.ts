// Cuts while Stratum V1 or V2 clients hand in blocks. A block whose file is on the disk is in the chain afterwards as far as
// its parents are there, and waits for them otherwise; in the end no file is left behind.
import fs from 'node:fs';
import path from 'node:path';
import { type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { Daemon, freePort } from '../../framework/daemon.js';
import { serializeTx } from '../../framework/messages.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { StratumClient } from '../../framework/stratum-client.js';
import { Sv2Client, solve } from '../../framework/sv2-client.js';
import { until } from '../../framework/until.js';
import type { Cut } from '../cuts.js';
import { Recorder } from '../recording.js';
import { byDaemon, type Phase, RUN_UP, type Story } from './phase.js';

const OPTIONS = ['-fronts=1', '-par=1', '-disablewallet', '-acceptnonstdtxn=1', '-datacarriersize=100000'] as const;
const START = 1_700_000_000;
const BLOCKS = 12;
/** Payload of a payment in a block: gives files of many sectors, and of one. */
const MOST_PAYLOAD_BYTES = 30_000;
const PAYOUT = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

/** A miner of one protocol. */
interface Miner {
  /** Waits for work on this tip, finds a block and hands it in. @returns its hash */
  solve(tip: string): Promise<string>;
  close(): void;
}

/** How miners hand in blocks. */
interface Protocol {
  readonly name: string;
  /** Options of a daemon that serves them. */
  readonly options: (port: number) => readonly string[];
  /** Folder of found blocks. */
  readonly folder: string;
  readonly connect: (port: number) => Promise<Miner>;
}

const STRATUM_V2: Protocol = {
  name: 'solving',
  options: (port) => ['-sv2', `-sv2port=${port}`],
  folder: path.join('regtest', 'sv2-solutions'),
  connect: async (port) => {
    const client = await Sv2Client.start(port);
    const shownTip = (): string => Buffer.from(client.prevHash!.prevHash).reverse().toString('hex');
    return {
      solve: async (tip) => {
        await client.told(() => client.template !== null && client.prevHash !== null && shownTip() === tip);
        const solution = solve(client.template!, client.prevHash!);
        client.submit(solution);
        return solution.hashHex;
      },
      close: () => client.close(),
    };
  },
};

const STRATUM_V1: Protocol = {
  name: 'mining',
  options: (port) => ['-stratum', `-stratumport=${port}`],
  folder: path.join('regtest', 'stratum-solutions'),
  connect: async (port) => {
    const miner = await StratumClient.start(port, PAYOUT);
    return {
      solve: async (tip) => {
        await miner.onTip(tip);
        const { hashHex, params } = miner.mine();
        miner.send({ id: 9, method: 'mining.submit', params: [PAYOUT, ...params] });
        return hashHex;
      },
      close: () => miner.close(),
    };
  },
};

interface Solved {
  readonly hashHex: string;
  readonly bytes: Buffer;
}

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

async function tell(protocol: Protocol, seed: number, shim: string): Promise<Story> {
  const random = pseudoRandom(seed);
  const base = await Daemon.start(...OPTIONS);
  const chain = [buildBlock(GENESIS, { time: START })];
  while (chain.length < RUN_UP + BLOCKS) chain.push(buildBlock(chain.at(-1)!, { time: START + chain.length }));
  for (const { bytes } of chain) await base.call('submitblock', bytes.toString('hex'));
  await base.stop();
  const port = await freePort();
  const recorder = await Recorder.over(base.dir, shim, [...OPTIONS, ...protocol.options(port)]);
  await base.remove();
  const { node } = recorder;
  recorder.say({ fact: 'started' });
  await node.up();
  const solved: Solved[] = [];
  const miner = await protocol.connect(port);
  while (solved.length < BLOCKS) {
    const isLarge = random() < 0.7;
    if (isLarge) await pay(node, chain[solved.length]!, Math.floor(random() * MOST_PAYLOAD_BYTES));
    const tip = await node.call('getbestblockhash');
    const hashHex = await miner.solve(tip);
    await until('the block is the tip', async () => (await node.call('getbestblockhash')) === hashHex);
    solved.push({ hashHex, bytes: Buffer.from(await node.call('getblock', hashHex, 0), 'hex') });
    recorder.say({ fact: 'solved', hashHex });
  }
  miner.close();
  await node.stop();
  recorder.say({ fact: 'stopped' });
  return {
    recording: await recorder.end(),
    options: OPTIONS,
    judge: async (image, cut) => {
      const options = [...OPTIONS, ...protocol.options(await freePort())];
      return byDaemon(options, (one) => judge(one, cut, solved, protocol.folder))(image, cut);
    },
  };
}

async function judge(node: Daemon, { surely }: Cut, solved: readonly Solved[], folder: string): Promise<string[]> {
  const wrong: string[] = [];
  const fileOf = ({ hashHex }: Solved): string => path.join(folder, `${hashHex}.blk`);
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

export const solving: Phase = { name: STRATUM_V2.name, tell: (seed, shim) => tell(STRATUM_V2, seed, shim) };
export const mining: Phase = { name: STRATUM_V1.name, tell: (seed, shim) => tell(STRATUM_V1, seed, shim) };
