// Cuts during the start after a cut: of a story of another phase one image is taken, a daemon starts over it above the
// layer, and the cuts of that life are judged as those of the story. recovering twice: the same of an image of the first
// such start, after branches that overtake.
import fs from 'node:fs';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { type Cut, cutAndJudge } from '../cuts.js';
import { Recorder } from '../recording.js';
import { downloading, reorganising } from './feeding.js';
import { paying } from './paying.js';
import type { Phase, Story } from './phase.js';
import { wallets } from './wallets.js';

/** The start over one image of a story, as a story. */
async function startOver(story: Story, seed: number, shim: string): Promise<Story> {
  let first: Cut | undefined;
  let taken = '';
  const take = async (image: string, cut: Cut): Promise<string[]> => {
    first = cut;
    taken = `${image}-taken`;
    fs.cpSync(image, taken, { recursive: true });
    return [];
  };
  const { faults } = await cutAndJudge(story.recording, { count: 1, random: pseudoRandom(seed), jobs: 1 }, take);
  if (first === undefined) throw new Error(`no image was made: ${faults.join()}`);
  const recorder = await Recorder.over(taken, shim, story.options);
  fs.rmSync(taken, { recursive: true });
  for (const what of first.said) recorder.say(what);
  await recorder.node.up();
  await recorder.node.stop();
  return { ...story, recording: await recorder.end() };
}

const recover = (name: string, others: readonly Phase[], times: number): Phase => ({
  name,
  async tell(seed, shim) {
    let story = await others[seed % others.length]!.tell(seed, shim);
    for (let time = 0; time < times; time++) story = await startOver(story, seed + time, shim);
    return story;
  },
});

export const recovering = recover('recovering', [reorganising, paying, wallets, downloading], 1);
export const recoveringTwice = recover('recovering twice', [reorganising], 2);
