// Cuts while blocks come in: beginning (the first blocks of a chain), downloading (old blocks whose coins gather in
// memory and are written in pieces), connecting (on the tip), reorganising (branches that overtake) and indexing. The
// tip is then at least the best block whose bytes were on the disk, its coins are right to the row, and the blocks that
// are missing can be taken again.
import { BlockTree, branch, ROOT, type TreeBlock } from '../../framework/block-tree.js';
import { Daemon } from '../../framework/daemon.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';
import { indexesFit } from '../../kill/phases/indexing.js';
import { type ChainQuestion, judgeChain, KnownChains } from '../chain-judge.js';
import type { Cut, Judge } from '../cuts.js';
import { Recorder } from '../recording.js';
import { byDaemon, type Phase, RUN_UP, type Story } from './phase.js';

const LEAN = ['-fronts=1', '-par=1', '-disablewallet'] as const;
/** A daemon checks one of this many cuts. */
const WHOLE = 4;

type Fact = { readonly fact: 'sent' | 'stored'; readonly hash: string } | { readonly fact: 'started' | 'stopped' };

interface Style {
  readonly name: string;
  /** Blocks that come after the run-up. */
  readonly blocks: number;
  /** Blocks are years old, which keeps the node in initial download. */
  readonly old: boolean;
  /** How often, of a hundred, a branch begins. */
  readonly reorganise: number;
  /** How often the coins are asked for, which writes them. */
  readonly flush: number;
  readonly extraCoins: number;
  readonly options: readonly string[];
  /** Starts with nothing. */
  readonly fresh?: boolean;
  /** More that a daemon has to answer; all cuts are judged by one then. */
  readonly check?: (node: Daemon, chains: KnownChains, random: () => number) => Promise<string[]>;
}

async function tell(style: Style, seed: number, shim: string): Promise<Story> {
  const random = pseudoRandom(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const tree = new BlockTree(pseudoRandom(seed + 1_000_000), style.old ? 1_400_000_000 : Math.floor(Date.now() / 1000) - 80_000);
  const chains = new KnownChains();
  const all: TreeBlock[] = [];
  const grow = (prev: TreeBlock): TreeBlock => {
    const block = tree.grow(prev, 5, style.extraCoins);
    chains.add(block);
    all.push(block);
    return block;
  };
  const submit = async (to: Daemon, block: TreeBlock): Promise<void> => {
    const answer = await to.call('submitblock', block.bytes.toString('hex'));
    if (answer !== null && answer !== 'inconclusive') throw new Error(`a block was answered ${answer}`);
  };
  let tip = ROOT;
  const options = [...LEAN, ...style.options];
  const base = await Daemon.start(...options);
  const runUp = style.fresh === true ? 0 : RUN_UP;
  for (let i = 0; i < runUp; i++) {
    tip = grow(tip);
    await submit(base, tip);
  }
  await base.stop();
  const start = tip;
  const recorder = await Recorder.over(base.dir, shim, options);
  await base.remove();
  const { node } = recorder;
  const say = (fact: Fact): void => recorder.say(fact);
  const give = async (block: TreeBlock): Promise<void> => {
    say({ fact: 'sent', hash: block.hashHex });
    await submit(node, block);
    say({ fact: 'stored', hash: block.hashHex });
    if (block.height > tip.height) tip = block;
  };
  say({ fact: 'started' });
  await node.up();
  for (let i = 0; i < style.blocks; i++) {
    const dice = pick(100);
    if (dice < style.reorganise && tip.height > start.height + 8) {
      let rival = tip;
      const depth = 1 + pick(5);
      for (let down = 0; down < depth; down++) rival = rival.prev;
      for (let up = 0; up <= depth; up++) {
        rival = grow(rival);
        await give(rival);
      }
    } else if (dice < style.reorganise + style.flush) await node.call('gettxoutsetinfo', 'none');
    else await give(grow(tip));
  }
  await node.stop();
  say({ fact: 'stopped' });
  const recording = await recorder.end();
  const last = grow(grow(tip));

  const question = ({ said }: Cut): ChainQuestion => {
    const facts = said as readonly Fact[];
    const sent = facts.flatMap((one) => ('hash' in one ? [chains.block(one.hash)!] : []));
    return {
      chains,
      sent: [...branch(start), ...sent],
      stopped: facts.at(-1)!.fact === 'stopped',
      rest: [...all.slice(runUp, -2), last.prev, last],
    };
  };
  const inProcess = (image: string, cut: Cut): Promise<string[]> => judgeChain(image, cut, question(cut));
  const whole = byDaemon(options, async (node) => {
    const wrong = (await style.check?.(node, chains, random)) ?? [];
    if ((await node.call('verifychain', 4, 6)) !== true) wrong.push('verifychain found something');
    return wrong;
  });
  const judge: Judge = (image, cut) => (style.check !== undefined || cut.number % WHOLE === 0 ? whole(image, cut) : inProcess(image, cut));
  return { recording, options, judge };
}

const feeding = (style: Style): Phase => ({ name: style.name, tell: (seed, shim) => tell(style, seed, shim) });

export const downloading = feeding({
  name: 'downloading',
  blocks: 60,
  old: true,
  reorganise: 5,
  flush: 10,
  extraCoins: 60,
  options: ['-dbcache=4', '-dbbatchsize=400'],
});

export const beginning = feeding({
  name: 'beginning',
  blocks: 40,
  old: true,
  reorganise: 0,
  flush: 5,
  extraCoins: 0,
  options: ['-dbcache=4'],
  fresh: true,
});

export const connecting = feeding({
  name: 'connecting',
  blocks: 40,
  old: false,
  reorganise: 0,
  flush: 0,
  extraCoins: 0,
  options: ['-dbcache=4'],
});

export const reorganising = feeding({
  name: 'reorganising',
  blocks: 30,
  old: false,
  reorganise: 35,
  flush: 5,
  extraCoins: 0,
  options: ['-dbcache=4', '-dbbatchsize=1000'],
});

/** Blocks come again in another order, so that those that were lost lie elsewhere. */
async function fitAfterBlocks(node: Daemon, chains: KnownChains, random: () => number): Promise<string[]> {
  const blocks = chains.all.sort((a, b) => a.height - b.height);
  for (const { bytes } of blocks) await node.call('submitheader', bytes.subarray(0, 80).toString('hex'));
  // Downwards in groups of four: what a peer of the download sends late.
  for (let at = 0; at < blocks.length; at += 4) {
    for (const { bytes } of blocks.slice(at, at + 4).reverse()) await node.call('submitblock', bytes.toString('hex'));
  }
  // Check the upper eighth of the chain, where some blocks were lost.
  return indexesFit(node, chains, () => 0.9999 - random() / 8);
}

export const indexing = feeding({
  name: 'indexing',
  blocks: 30,
  old: false,
  reorganise: 20,
  flush: 5,
  extraCoins: 0,
  options: ['-dbcache=4', '-txindex', '-blockfilterindex', '-coinstatsindex'],
  check: fitAfterBlocks,
});
