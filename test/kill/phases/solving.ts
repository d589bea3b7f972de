// Kills while a miner hands in a block over Stratum V1 or V2: from the moment in which its message is sent to some time after the
// block is the tip. The block is on disk before anything is done with it, so once there is a whole file or a line of
// the log about it, the next start must have it in its chain; a piece of a file must be set aside.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuiltBlock, buildBlock, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { Daemon, freePort } from '../../framework/daemon.js';
import { serializeTx } from '../../framework/messages.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { StratumClient } from '../../framework/stratum-client.js';
import { Sv2Client, solve } from '../../framework/sv2-client.js';
import { PATIENCE_MS, until } from '../../framework/until.js';
import { count, debugLog, emptyReport, LEAN, type Phase, putAway, type RoundPlan, type RoundReport, RUN_UP } from './phase.js';

const START = 1_700_000_000;
/** Blocks are of a size whose writing takes a moment. */
const PAYMENTS = 3;
const PAYLOAD_BYTES = 95_000;
/** Longest time from the message, or from its file, to the kill. */
const LATE_MS = 30;

const PAYOUT = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

/** How miners hand in blocks. */
interface Protocol {
  readonly name: string;
  /** Options of a daemon that serves them. */
  readonly options: (port: number) => readonly string[];
  /** Folder of found blocks, in the network's folder. */
  readonly folder: string;
  /** Connects a miner, and finds a block with transactions. */
  readonly findBlock: (port: number) => Promise<Found>;
}

interface Found {
  readonly hashHex: string;
  /** Sends the block, and waits for nothing. */
  submit(): void;
  close(): void;
}

const STRATUM_V2: Protocol = {
  name: 'solving',
  options: (port) => ['-sv2', `-sv2port=${port}`],
  folder: 'sv2-solutions',
  findBlock: async (port) => {
    const client = await Sv2Client.start(port);
    await client.told(() => client.template !== null && client.template.path.length > 0);
    const solution = solve(client.template!, client.prevHash!);
    return { hashHex: solution.hashHex, submit: () => client.submit(solution), close: () => client.close() };
  },
};

const STRATUM_V1: Protocol = {
  name: 'mining',
  options: (port) => ['-stratum', `-stratumport=${port}`],
  folder: 'stratum-solutions',
  findBlock: async (port) => {
    const miner = await StratumClient.start(port, `${PAYOUT}.rig`);
    await miner.until(() => miner.job!.branch.length > 0);
    const { hashHex, params } = miner.mine();
    const submit = (): void => miner.send({ id: 9, method: 'mining.submit', params: [`${PAYOUT}.rig`, ...params] });
    return { hashHex, submit, close: () => miner.close() };
  },
};

/** Returns the files of a block: `.blk`, perhaps a piece, `.damaged`, or none. */
const filesOf = (node: Daemon, { folder }: Protocol, hashHex: string): string[] =>
  fs.readdirSync(path.join(node.networkDir, folder)).filter((name) => name.startsWith(hashHex));

/** Returns true if the block belongs to the best chain. */
async function inChain(node: Daemon, hashHex: string): Promise<boolean> {
  const header = await node.call('getblockheader', hashHex).catch(() => null);
  return header !== null && header.confirmations > 0;
}

/** Large payments out of ripe rewards, so that a block has something in it. */
async function pay(node: Daemon, ripe: BuiltBlock[]): Promise<void> {
  for (const block of ripe) {
    const coin = reward(block);
    const data = Buffer.concat([Buffer.from([0x6a]), Buffer.alloc(PAYLOAD_BYTES, 0x51)]);
    const tx = spend(
      [coin],
      [
        { value: coin.value - 1_000_000, script: Buffer.from(`0014${'33'.repeat(20)}`, 'hex') },
        { value: 0, script: data },
      ],
    );
    await node.call('sendrawtransaction', serializeTx(tx).toString('hex'), 0);
  }
}

async function round(protocol: Protocol, plan: RoundPlan): Promise<RoundReport> {
  const random = pseudoRandom(plan.seed);
  const report = emptyReport();
  const port = await freePort();
  const node = await Daemon.start(...LEAN, ...protocol.options(port), '-acceptnonstdtxn=1', '-datacarriersize=100000', '-checktemplates=0');
  try {
    const chain = [buildBlock(GENESIS, { time: START })];
    while (chain.length < RUN_UP + plan.kills * PAYMENTS) chain.push(buildBlock(chain.at(-1)!, { time: START + chain.length }));
    for (const block of chain) {
      const answer = await node.call('submitblock', block.bytes.toString('hex'));
      if (answer !== null) report.faults.push(`a block of the run-up: ${answer}`);
    }
    report.blocks = chain.length;
    for (let kill = 0; kill < plan.kills && !plan.enough(); kill++) {
      await pay(node, chain.slice(kill * PAYMENTS, (kill + 1) * PAYMENTS));
      const solution = await protocol.findBlock(port);
      const before = await node.call('getbestblockhash');
      const way = random();
      solution.submit();
      if (way < 0.5) {
        // From the first byte of its file on.
        const end = Date.now() + PATIENCE_MS;
        while (filesOf(node, protocol, solution.hashHex).length === 0 && !debugLog(node).includes(`block ${solution.hashHex}`)) {
          if (Date.now() > end) throw new Error('the solution was not read');
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      if (way > 0.2) await sleep(random() * LATE_MS);
      await node.kill();
      solution.close();
      const written = filesOf(node, protocol, solution.hashHex).length > 0;
      const told = debugLog(node).includes(`block ${solution.hashHex}`);
      await node.up();
      await until('the start is over', () => debugLog(node).split('Done loading').length - 1 === kill + 2);
      report.checks++;
      const torn = filesOf(node, protocol, solution.hashHex).includes(`${solution.hashHex}.damaged`);
      const read = told || (written && !torn);
      const when = torn ? 'while it was written' : written ? 'before the end of its judgement' : told ? 'after it' : 'before it was read';
      count(report.kills, when);
      const there = await inChain(node, solution.hashHex);
      if (read && !there) report.faults.push(`block ${solution.hashHex} was read and is not in the chain`);
      if (!read && !there && (await node.call('getbestblockhash')) !== before) report.faults.push('the tip is another one');
      if (there) count(report.figures, 'solutions in the chain');
      if (filesOf(node, protocol, solution.hashHex).includes(`${solution.hashHex}.blk`)) report.faults.push('its file is still there');
      if ((await node.call('verifychain', 4, 6)) !== true) report.faults.push('verifychain found something');
    }
    const { code } = await node.stop();
    if (code !== 0) report.faults.push(`it stops with status ${code}`);
  } catch (error) {
    report.faults.push(String((error as Error).stack));
  }
  await putAway(node, plan, report);
  return report;
}

export const solving: Phase = { name: STRATUM_V2.name, round: (plan) => round(STRATUM_V2, plan) };
export const mining: Phase = { name: STRATUM_V1.name, round: (plan) => round(STRATUM_V1, plan) };
