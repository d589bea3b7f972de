// Cuts around a snapshot of the coins. loading: while it is loaded and blocks above it come; the chain then stands where
// it did or at the snapshot, which can be loaded again if need be. validating: while the blocks below it come and are
// validated in the background until the chain is a plain one; the tip stays. Both come to the same coins as a chain
// that was never cut.
import fs from 'node:fs';
import path from 'node:path';
import { coreChain } from '../../framework/core-chain.js';
import { type CallError, Daemon } from '../../framework/daemon.js';
import { until } from '../../framework/until.js';
import { Recorder } from '../recording.js';
import { byDaemon, type Phase, type Story } from './phase.js';

const OPTIONS = ['-fronts=1', '-par=1', '-disablewallet', '-maxtipage=9999999999', '-dbbatchsize=2000'] as const;
const BASE = 200;
const ABOVE = 10;
const FILE = 'coins.dat';
const BLOCKS = coreChain(BASE + ABOVE);
const BELOW = BLOCKS.slice(0, BASE);

async function give(to: Daemon, blocks: readonly { bytes: Buffer }[]): Promise<void> {
  for (const { bytes } of blocks) await to.call('submitblock', bytes.toString('hex'));
}

const load = (node: Daemon): Promise<unknown> => node.call('loadtxoutset', path.join(node.dir, FILE));

/** A stopped node that has the headers and the snapshot's file, and the hash of the coins in the end. */
async function begin(): Promise<{ base: Daemon; muhash: string }> {
  const base = await Daemon.start(...OPTIONS);
  for (const { header } of BLOCKS) await base.call('submitheader', header.toString('hex'));
  await base.stop();
  const full = await Daemon.start(...OPTIONS);
  await give(full, BELOW);
  await full.call('dumptxoutset', path.join(base.dir, FILE), 'latest');
  await give(full, BLOCKS.slice(BASE));
  const { muhash } = await full.call('gettxoutsetinfo', 'muhash');
  await full.remove();
  return { base, muhash };
}

/** Lists the faults of a node that has received everything. */
async function wrongInTheEnd(node: Daemon, muhash: string): Promise<string[]> {
  const wrong: string[] = [];
  const found = await node.call('gettxoutsetinfo', 'muhash');
  if (found.height !== BASE + ABOVE || found.muhash !== muhash) wrong.push(`other coins at ${found.height}`);
  if ((await node.call('verifychain', 4, 5)) !== true) wrong.push('verifychain found something');
  return wrong;
}

async function tellLoading(_seed: number, shim: string): Promise<Story> {
  const { base, muhash } = await begin();
  const recorder = await Recorder.over(base.dir, shim, OPTIONS);
  await base.remove();
  const { node } = recorder;
  recorder.say({ fact: 'started' });
  await node.up();
  await load(node);
  recorder.say({ fact: 'loaded' });
  await give(node, BLOCKS.slice(BASE));
  await node.stop();
  recorder.say({ fact: 'stopped' });

  const judge = byDaemon(OPTIONS, async (node) => {
    const wrong: string[] = [];
    if (!fs.existsSync(path.join(node.dir, FILE))) wrong.push('the file is gone');
    if ((await node.call('getblockcount')) === 0) {
      for (const { header } of BLOCKS) await node.call('submitheader', header.toString('hex'));
      await load(node).catch((error: CallError) => wrong.push(`loadtxoutset: ${error.message}`));
    }
    await give(node, BLOCKS.slice(BASE));
    return [...wrong, ...(await wrongInTheEnd(node, muhash))];
  });
  return { recording: await recorder.end(), options: OPTIONS, judge };
}

const isValidated = async (node: Daemon): Promise<boolean> => (await node.call('getchainstates')).chainstates.length === 1;

async function tellValidating(seed: number, shim: string): Promise<Story> {
  const { base, muhash } = await begin();
  await base.up();
  await load(base);
  await give(base, BLOCKS.slice(BASE));
  // Some of the history is there before the first cut.
  const before = (seed % 3) * 60;
  await give(base, BELOW.slice(0, before));
  await base.stop();
  const recorder = await Recorder.over(base.dir, shim, OPTIONS);
  await base.remove();
  const { node } = recorder;
  recorder.say({ fact: 'started' });
  await node.up();
  await give(node, BELOW.slice(before));
  await until('the history is validated', () => isValidated(node));
  recorder.say({ fact: 'validated' });
  await node.stop();
  // The start that makes it a plain chain.
  await node.up();
  await node.stop();
  recorder.say({ fact: 'stopped' });

  const judge = byDaemon(OPTIONS, async (node) => {
    const tip = await node.call('getblockcount');
    if (tip !== BASE + ABOVE) return [`the tip is at ${tip}`];
    await give(node, BELOW);
    await until('the history is validated', () => isValidated(node));
    return wrongInTheEnd(node, muhash);
  });
  return { recording: await recorder.end(), options: OPTIONS, judge };
}

export const loading: Phase = { name: 'loading', tell: tellLoading };
export const validating: Phase = { name: 'validating', tell: tellValidating };
