// Cuts while a snapshot of the coins is loaded and blocks above it come. The chain then stands where it did or at the
// snapshot, which can be loaded again if need be, and comes to the same coins as a chain that was never cut.
import fs from 'node:fs';
import path from 'node:path';
import { coreChain } from '../../framework/core-chain.js';
import { type CallError, Daemon } from '../../framework/daemon.js';
import { Recorder } from '../recording.js';
import { byDaemon, type Phase, type Story } from './phase.js';

const OPTIONS = ['-fronts=1', '-par=1', '-disablewallet', '-maxtipage=9999999999', '-dbbatchsize=2000'] as const;
const BASE = 200;
const ABOVE = 10;
const FILE = 'coins.dat';

async function tell(_seed: number, shim: string): Promise<Story> {
  const blocks = coreChain(BASE + ABOVE);
  const hex = (block: { bytes: Buffer }): string => block.bytes.toString('hex');
  const base = await Daemon.start(...OPTIONS);
  for (const { header } of blocks) await base.call('submitheader', header.toString('hex'));
  await base.stop();
  const full = await Daemon.start(...OPTIONS);
  for (const block of blocks.slice(0, BASE)) await full.call('submitblock', hex(block));
  await full.call('dumptxoutset', path.join(base.dir, FILE), 'latest');
  for (const block of blocks.slice(BASE)) await full.call('submitblock', hex(block));
  const { muhash } = await full.call('gettxoutsetinfo', 'muhash');
  await full.remove();
  const recorder = await Recorder.over(base.dir, shim, OPTIONS);
  await base.remove();
  const { node } = recorder;
  const give = async (to: Daemon): Promise<void> => {
    for (const block of blocks.slice(BASE)) await to.call('submitblock', hex(block));
  };
  recorder.say({ fact: 'started' });
  await node.up();
  await node.call('loadtxoutset', path.join(node.dir, FILE));
  recorder.say({ fact: 'loaded' });
  await give(node);
  await node.stop();
  recorder.say({ fact: 'stopped' });

  const judge = byDaemon(OPTIONS, async (node) => {
    const wrong: string[] = [];
    if (!fs.existsSync(path.join(node.dir, FILE))) wrong.push('the file is gone');
    if ((await node.call('getblockcount')) === 0) {
      for (const { header } of blocks) await node.call('submitheader', header.toString('hex'));
      const loading = node.call('loadtxoutset', path.join(node.dir, FILE));
      await loading.catch((error: CallError) => wrong.push(`loadtxoutset: ${error.message}`));
    }
    await give(node);
    const found = await node.call('gettxoutsetinfo', 'muhash');
    if (found.height !== BASE + ABOVE || found.muhash !== muhash) wrong.push(`other coins at ${found.height}`);
    if ((await node.call('verifychain', 4, 5)) !== true) wrong.push('verifychain found something');
    return wrong;
  });
  return { recording: await recorder.end(), options: OPTIONS, judge };
}

export const loading: Phase = { name: 'loading', tell };
