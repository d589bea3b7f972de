// Cuts while old blocks are pruned, unasked and by hand. Each block then comes as it was sent or is said to be pruned,
// no file is left over, and the blocks that are missing can be taken again.
import { Daemon } from '../../framework/daemon.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { PrunedChain, prunedFits } from '../../kill/phases/pruning.js';
import { Recorder } from '../recording.js';
import { byDaemon, type Phase, type Story } from './phase.js';

const LEAN = ['-fronts=1', '-par=1', '-disablewallet', '-fastprune'] as const;
/** Blocks before the first cut: enough that some may go. */
const RUN_UP = 470;
const BLOCKS = 60;
const KEPT = 288;

async function tell(seed: number, shim: string): Promise<Story> {
  const random = pseudoRandom(seed);
  const chain = new PrunedChain();
  const base = await Daemon.start(...LEAN);
  await chain.feed(base, RUN_UP);
  await base.stop();
  const byHand = random() < 0.5;
  const recorder = await Recorder.over(base.dir, shim, [...LEAN, byHand ? '-prune=1' : '-prune=2']);
  await base.remove();
  const { node } = recorder;
  recorder.say({ fact: 'started' });
  await node.up();
  for (let height = RUN_UP + 1; height <= RUN_UP + BLOCKS; height++) {
    await chain.feed(node, height);
    recorder.say({ fact: 'stored', height });
    if (byHand && random() < 0.2) await node.call('pruneblockchain', Math.floor((height - KEPT) * random()) + 1);
  }
  await node.stop();
  recorder.say({ fact: 'stopped' });
  // By hand, so that nothing is pruned while it is looked at.
  const options = [...LEAN, '-prune=1'];
  const judge = byDaemon(options, async (node, { said }) => {
    const known = new PrunedChain();
    known.blocks.push(...chain.blocks);
    known.acknowledged = (said.at(-1) as { fact: string }).fact === 'stopped' ? RUN_UP + BLOCKS : RUN_UP;
    const wrong = await prunedFits(node, known);
    await known.feed(node, RUN_UP + BLOCKS + 5);
    if ((await node.call('getblockcount')) !== RUN_UP + BLOCKS + 5) wrong.push('it does not go on');
    return wrong;
  });
  return { recording: await recorder.end(), options, judge };
}

export const pruning: Phase = { name: 'pruning', tell };
