// Tests random trees of blocks, some of them invalid, that are submitted in random order, with calls of invalidateblock
// and reconsiderblock, restarts and kills in between. A naive model says which block must be the tip. The coins must
// equal those of a node that only received the winning branch.

import t from 'tap';
import type { BlockFiles } from '../../../src/storage/block-files.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { Store } from '../../../src/storage/store.js';
import { StoreError } from '../../../src/storage/store-error.js';
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, NO_ONE, reward, spend } from '../../framework/chain-builder.js';
import { coinsOf, type Fixture, type FixtureOptions, IN_DOWNLOAD, OUT_OF_DOWNLOAD, openFixture } from '../../framework/chain-fixture.js';
import { rounds } from '../../framework/depth.js';
import { fc } from '../../framework/fast-check.js';
import { txid } from '../../framework/messages.js';

const FLAWS = ['none', 'none', 'none', 'none', 'none', 'amount', 'script', 'missing', 'nonfinal'] as const;
type Flaw = (typeof FLAWS)[number];

const trunk = buildChain(GENESIS, 105);
const root = trunk[104]!;

interface ModelBlock {
  readonly built: BuiltBlock;
  readonly parent: ModelBlock | null;
  readonly flaw: Flaw;
  stored: boolean;
  storedAt: number;
  /**
   * The order in which blocks became complete: a lower number is earlier. It is set when the block and all its
   * ancestors are there.
   */
  order: number;
  marked: boolean;
}

/** A naive model that determines the tip by looking at all blocks each time. */
class Model {
  readonly blocks: ModelBlock[];
  private clock = 2;
  private wishes = -1;
  private wishWork = 0;

  constructor(shape: readonly { parent: number; flaw: number }[]) {
    this.blocks = [{ built: root, parent: null, flaw: 'none', stored: true, storedAt: 0, order: 0, marked: false }];
    shape.forEach(({ parent, flaw }, i) => {
      const above = this.blocks[parent % this.blocks.length]!;
      const kind = FLAWS[flaw % FLAWS.length]!;
      const built = plan(above.built, kind, i);
      this.blocks.push({ built, parent: above, flaw: kind, stored: false, storedAt: 0, order: Number.POSITIVE_INFINITY, marked: false });
    });
  }

  family(block: ModelBlock): ModelBlock[] {
    const list: ModelBlock[] = [];
    for (let at: ModelBlock | null = block; at !== null; at = at.parent) list.push(at);
    return list;
  }

  isBelow(block: ModelBlock, other: ModelBlock): boolean {
    return this.family(other).includes(block);
  }

  usable(block: ModelBlock): boolean {
    return this.family(block).every(({ flaw, marked, stored }) => flaw === 'none' && !marked && stored);
  }

  store(block: ModelBlock): void {
    block.stored = true;
    block.storedAt = ++this.clock;
    const complete = (b: ModelBlock) => this.family(b).every(({ stored }) => stored);
    if (!complete(block)) return;
    // Blocks that waited for this one become complete too, level by level, in the order of their arrival.
    let level = [block];
    while (level.length > 0) {
      for (const b of level) b.order = ++this.clock;
      level = level.flatMap((b) => this.blocks.filter((c) => c.parent === b && c.stored).sort((x, y) => x.storedAt - y.storedAt));
    }
  }

  wish(block: ModelBlock): void {
    const { height } = this.best().built;
    if (block.built.height < height) return;
    if (height > this.wishWork) this.wishes = -1;
    this.wishWork = height;
    block.order = this.wishes--;
  }

  restart(): void {
    const active = this.family(this.best());
    for (const block of this.blocks) if (block.order !== Number.POSITIVE_INFINITY) block.order = active.includes(block) ? 0 : 1;
    // After a restart, blocks that wait for a parent are read in the order of their hashes, because the order of their
    // arrival was not stored.
    this.blocks
      .filter((block) => block.stored && block.order === Number.POSITIVE_INFINITY)
      .sort((a, b) => Buffer.compare(a.built.hash, b.built.hash))
      .forEach((block, i) => {
        block.storedAt = i / this.blocks.length;
      });
    this.wishes = -1;
    this.wishWork = 0;
  }

  best(): ModelBlock {
    const rank = (a: ModelBlock, b: ModelBlock) =>
      b.built.height - a.built.height || a.order - b.order || Buffer.compare(a.built.hash, b.built.hash);
    return this.blocks.filter((block) => this.usable(block)).sort(rank)[0]!;
  }
}

/** Builds a block with this error. A block without error spends a coin of the trunk if its branch has not spent it yet. */
function plan(parent: BuiltBlock, flaw: Flaw, tag: number): BuiltBlock {
  const coin = reward(trunk[tag % 4]!);
  if (flaw === 'amount') return buildBlock(parent, { tag, fees: 1 });
  if (flaw === 'nonfinal')
    return buildBlock(parent, { tag, txs: [spend([coin], [{ value: 1, script: ANYONE }], { locktime: 499_999_999, sequence: 0 })] });
  if (flaw === 'missing')
    return buildBlock(parent, { tag, txs: [spend([{ txid: Buffer.alloc(32, 9), index: 0, value: 1 }], [{ value: 1, script: ANYONE }])] });
  if (flaw === 'script') {
    const ripe = reward(trunk[4]!);
    const lock = spend([ripe], [{ value: ripe.value, script: NO_ONE }]);
    return buildBlock(parent, {
      tag,
      txs: [lock, spend([{ txid: txid(lock), index: 0, value: ripe.value }], [{ value: 1, script: ANYONE }])],
    });
  }
  const branch: BuiltBlock[] = [];
  for (let at: BuiltBlock | null = parent; at !== null && at !== root; at = at.prev) branch.push(at);
  const spent = branch.some((block) => block.txs.slice(1).some((tx) => tx.ins[0]!.txid.equals(coin.txid)));
  const opening = spend([coin], [{ value: coin.value - tag, script: ANYONE }]);
  return buildBlock(parent, spent ? { tag } : { tag, txs: [opening], fees: tag });
}

/** The open store and files of a simulated process. After its end, data that it had only in memory never reach them. */
class Life {
  private over = false;
  private files: BlockFiles | null = null;
  readonly store: Store;

  constructor(store: Store) {
    this.store = new Proxy(store, {
      get: (target, name: keyof Store) => {
        if (name === 'batch' && this.over) return this.refuse;
        const value = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  private readonly refuse = (): Promise<never> => Promise.reject(new StoreError('STORE_IO', 'the process is dead'));

  hold(files: BlockFiles): BlockFiles {
    this.files = files;
    return files;
  }

  async end(): Promise<void> {
    this.over = true;
    if (this.files === null) return;
    Object.assign(this.files, { appendBlock: this.refuse, appendUndo: this.refuse });
    await this.files.close();
  }
}

async function freshTrunk(options: FixtureOptions): Promise<Fixture> {
  const fixture = await openFixture(options);
  for (const block of trunk) await fixture.chain.commands.submitBlock(block.bytes);
  return fixture;
}

const shapes = fc.array(fc.record({ parent: fc.nat(30), flaw: fc.nat(FLAWS.length - 1) }), { minLength: 1, maxLength: 14 });
const actions = fc.array(fc.record({ what: fc.nat(19), which: fc.nat(40) }), { minLength: 5, maxLength: 50 });

type Step = { what: number; which: number };

async function play(
  shape: { parent: number; flaw: number }[],
  steps: Step[],
  options: { maxTipAge: number; maxStepBytes?: number },
): Promise<void> {
  const model = new Model(shape);
  const store = new MemoryStore();
  let life = new Life(store);
  const start = () => ({ ...options, store: life.store, wrapFiles: (files: BlockFiles) => life.hold(files) });
  let fixture = await freshTrunk(start());
  const reopen = async () => {
    life = new Life(store);
    fixture = await openFixture({ ...start(), dir: fixture.dir });
  };
  try {
    // At the end all blocks are submitted again, so that every tree is complete.
    const all = [...steps, ...model.blocks.map((_, which) => ({ what: 0, which }))];
    for (const { what, which } of all) {
      const block = model.blocks[which % model.blocks.length]!;
      const { chain } = fixture;
      const node = chain.view.node(block.built.hash);
      if (what <= 12) {
        if (block.parent === null) continue;
        const known = chain.view.node(block.parent.built.hash) !== undefined;
        const outcome = await chain.commands.submitBlock(block.built.bytes);
        if (outcome.isNew) model.store(block);
        const clean = model.family(block).every(({ flaw, marked }) => flaw === 'none' && !marked);
        if (clean && known && !block.stored) throw new Error(`block ${which} was not taken: ${outcome.kind} ${outcome.reject?.reason}`);
      } else if (what <= 14) {
        if (chain.view.node(block.parent?.built.hash ?? root.hash) !== undefined && block.parent !== null)
          await chain.commands.submitHeader(block.built.header);
      } else if (what === 15 && node !== undefined && block.parent !== null) {
        block.marked = true;
        await chain.commands.invalidateBlock(node);
      } else if (what === 16 && node !== undefined) {
        for (const other of model.blocks) if (model.isBelow(other, block) || model.isBelow(block, other)) other.marked = false;
        await chain.commands.reconsiderBlock(node);
      } else if (what === 17 && node !== undefined && model.usable(block)) {
        model.wish(block);
        await chain.commands.preciousBlock(node);
      } else if (what === 18) {
        model.restart();
        await chain.close();
        await reopen();
      } else if (what === 19) {
        // A kill loses memory but no completed writes. Among equal branches, the chain no longer knows which one it saw
        // first.
        await life.end();
        await reopen();
        if (fixture.chain.view.tip.height !== model.best().built.height) throw new Error('a kill lost blocks');
        await fixture.chain.close();
        await reopen();
        const tip = model.blocks.find(({ built }) => built.hashHex === fixture.chain.view.tip.hashHex);
        if (tip === undefined || !model.usable(tip)) throw new Error('an unusable tip after a kill');
        tip.order = Number.NEGATIVE_INFINITY;
        model.restart();
      }
      const expected = model.best().built;
      if (fixture.chain.view.tip.hashHex !== expected.hashHex) {
        throw new Error(
          `tip ${fixture.chain.view.tip.height} ${fixture.chain.view.tip.hashHex}, expected ${expected.height} ${expected.hashHex}`,
        );
      }
      if (fixture.faults.length > 0) throw fixture.faults[0];
    }
    const branch = model.family(model.best()).reverse().slice(1);
    const straight = await freshTrunk({ maxTipAge: OUT_OF_DOWNLOAD });
    for (const { built } of branch) await straight.chain.commands.submitBlock(built.bytes);
    const [got, wanted] = [await coinsOf(fixture), await coinsOf(straight)];
    await straight.end();
    if (JSON.stringify([...got]) !== JSON.stringify([...wanted])) throw new Error('the coins differ');
    if (!(await fixture.chain.commands.verifyChain(4, branch.length + 1))) throw new Error('verifychain is not content');
  } finally {
    await fixture.end();
  }
}

const runs = Number(process.env.CHAIN_TREES ?? rounds(4, 25));

for (const [name, options] of [
  ['near the tip', { maxTipAge: OUT_OF_DOWNLOAD }],
  ['in the initial block download', { maxTipAge: IN_DOWNLOAD }],
  ['one block per step', { maxTipAge: OUT_OF_DOWNLOAD, maxStepBytes: 1 }],
] as const) {
  t.test(`behaves as a model of the chain over random block trees, ${name}`, async (t) => {
    await fc.assert(
      fc.asyncProperty(shapes, actions, (shape, steps) => play(shape, steps, options)),
      { numRuns: runs },
    );
    t.pass(`${runs} trees`);
  });
}
