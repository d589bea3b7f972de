// Opens the chain of an image as a start does, within this process: a twentieth of the work of a daemon. Its coins are
// those of a chain that was never cut, row by row.
import fs from 'node:fs';
import path from 'node:path';
import { openStore } from '../../src/storage/open-store.js';
import { branch, ROOT, type TreeBlock } from '../framework/block-tree.js';
import { coinsOf, IN_DOWNLOAD, OUT_OF_DOWNLOAD, openFixture } from '../framework/chain-fixture.js';
import type { Cut } from './cuts.js';

const TABLE_OF_FILES = /^regtest\/blocks\/blk\d+\.dat$/;
/** Blocks whose disconnecting and connecting is tried. */
const VERIFIED = 6;

/** Blocks by their hashes, and the coins of a branch by its tip, worked out once. */
export class KnownChains {
  readonly #blocks = new Map<string, TreeBlock>([[ROOT.hashHex, ROOT]]);
  readonly #coins = new Map<string, string>();

  add(block: TreeBlock): void {
    this.#blocks.set(block.hashHex, block);
  }
  block(hashHex: string): TreeBlock | undefined {
    return this.#blocks.get(hashHex);
  }
  /** But for genesis. */
  get all(): TreeBlock[] {
    return [...this.#blocks.values()].filter((block) => block !== ROOT);
  }

  /** All coins at a tip, as text. */
  async coinsAt(tip: TreeBlock): Promise<string> {
    const known = this.#coins.get(tip.hashHex);
    if (known !== undefined) return known;
    const calm = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
    for (const { bytes } of branch(tip)) await calm.chain.commands.submitBlock(bytes);
    if (calm.chain.view.tip.hashHex !== tip.hashHex)
      throw new Error(`the calm chain stands at ${calm.chain.view.tip.height}, not ${tip.height}`);
    const coins = JSON.stringify([...(await coinsOf(calm))]);
    await calm.end();
    this.#coins.set(tip.hashHex, coins);
    return coins;
  }
}

/** Returns true if the bytes of a block, and of all blocks below it, are certainly on the disk. */
function surelyStored(block: TreeBlock, files: readonly Buffer[], known: Map<TreeBlock, boolean>): boolean {
  if (block === ROOT) return true;
  const before = known.get(block);
  if (before !== undefined) return before;
  const stored = surelyStored(block.prev, files, known) && files.some((file) => file.includes(block.bytes));
  known.set(block, stored);
  return stored;
}

/** Heights of the blocks that a start must have: what was synced, and after a clean stop everything. */
function promised(cut: Cut, sent: readonly TreeBlock[], stopped: boolean): number {
  if (stopped) return Math.max(0, ...sent.map(({ height }) => height));
  const files = [...cut.surely].flatMap(([name, bytes]) => (TABLE_OF_FILES.test(name) && bytes !== null ? [bytes] : []));
  const known = new Map<TreeBlock, boolean>();
  return sent.reduce((best, block) => (surelyStored(block, files, known) ? Math.max(best, block.height) : best), 0);
}

export interface ChainQuestion {
  readonly chains: KnownChains;
  /** Blocks that were sent before the cut, and whether the node was stopped cleanly after them. */
  readonly sent: readonly TreeBlock[];
  readonly stopped: boolean;
  /** Blocks that have to come to be taken, in order; the last is the best of all. */
  readonly rest: readonly TreeBlock[];
}

/** @returns what is wrong */
export async function judgeChain(image: string, cut: Cut, question: ChainQuestion): Promise<string[]> {
  const { chains, sent, stopped, rest } = question;
  const wrong: string[] = [];
  const network = path.join(image, 'regtest');
  // Folder that a daemon finds before it opens anything.
  fs.mkdirSync(path.join(network, 'blocks'), { recursive: true });
  const damages: string[] = [];
  const store = await openStore({ path: path.join(network, 'chainstate'), onLogDamage: (text) => damages.push(text) });
  const maxTipAge = cut.at % 2 === 0 ? OUT_OF_DOWNLOAD : IN_DOWNLOAD;
  try {
    const fixture = await openFixture({
      store,
      dir: path.join(network, 'blocks'),
      maxTipAge,
      adoptAtOpen: true,
      connectAtOpen: 20_000,
    });
    const { chain } = fixture;
    const found = await chain.commands.verifyStored(3, VERIFIED);
    if (found !== null) wrong.push(`a start would find: ${found}`);
    await chain.commands.connectStored();
    const tip = chains.block(chain.view.tip.hashHex);
    const least = promised(cut, sent, stopped);
    if (tip === undefined) wrong.push(`the tip ${chain.view.tip.hashHex} was never sent`);
    else if (tip.height < least) wrong.push(`the tip is at ${tip.height}, and ${least} was on the disk`);
    else if (JSON.stringify([...(await coinsOf(fixture))]) !== (await chains.coinsAt(tip))) wrong.push(`other coins at ${tip.height}`);
    if (!(await chain.commands.verifyChain(4, VERIFIED))) wrong.push('verifychain found something');
    for (const { bytes } of rest) await chain.commands.submitBlock(bytes);
    const last = rest.at(-1)!;
    if (chain.view.tip.hashHex !== last.hashHex) wrong.push(`it does not come further than ${chain.view.tip.height}`);
    else if (JSON.stringify([...(await coinsOf(fixture))]) !== (await chains.coinsAt(last))) wrong.push('other coins in the end');
    for (const fault of fixture.faults) wrong.push(fault.message);
    await fixture.end();
  } finally {
    await store.close();
  }
  return wrong.map((text) => (damages.length > 0 ? `${text} (${damages.join()})` : text));
}
