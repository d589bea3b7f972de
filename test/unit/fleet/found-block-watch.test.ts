// Log lines about found blocks that are not in the best chain.
import t from 'tap';
import { FoundBlockWatch } from '../../../src/fleet/publish/found-block-watch.js';

/** A node with chains of names: which is the best is the test's to say. */
function world() {
  let chain: readonly string[] = [];
  const known = new Map<string, number>();
  const lines: string[] = [];
  let busy = false;
  const waiting: (() => void)[] = [];
  const outcome = new FoundBlockWatch({
    callNode: (method, [what], done) => {
      if (busy) return 0;
      if (method === 'getblockheader') {
        const height = known.get(what as string);
        const confirmations = chain.includes(what as string) ? 1 : -1;
        waiting.push(() => done(height === undefined ? null : { height, confirmations }));
      } else waiting.push(() => done(chain[what as number] ?? null));
      return 1;
    },
    height: () => chain.length - 1,
    log: (text) => void lines.push(text),
  });
  return {
    fate: outcome,
    lines,
    /** The node has this chain now, from height 0. */
    best: (...blocks: string[]) => {
      chain = blocks;
      blocks.forEach((block, height) => void known.set(block, height));
    },
    setBusy: (value: boolean) => {
      busy = value;
    },
    /** Everything that was asked is answered. */
    answer: () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) next();
    },
  };
}

t.test('logs once when another block replaces a found block, and when it returns', async (t) => {
  const { fate, lines, best, answer } = world();
  best('g', 'mine');
  fate.watchBlock('mine');
  answer();
  t.same(lines, [], 'it is the tip');
  best('g', 'theirs', 'more');
  fate.checkAll();
  answer();
  t.same(lines.splice(0), ['fleet: found block mine was beaten by theirs at height 1']);
  fate.checkAll();
  answer();
  t.same(lines, [], 'said once');
  best('g', 'mine', 'a', 'b');
  fate.checkAll();
  answer();
  t.same(lines, ['fleet: found block mine is in the best chain again, at height 1']);
});

t.test('logs at once when a found block was already replaced', async (t) => {
  const { fate, lines, best, answer } = world();
  best('g', 'mine');
  best('g', 'theirs');
  fate.watchBlock('mine');
  answer();
  t.same(lines, ['fleet: found block mine was beaten by theirs at height 1']);
});

t.test('stops watching a block under six others, and watches 64 at most', async (t) => {
  const { fate, best, answer, lines } = world();
  best('g', 'mine', 'b', 'c', 'd', 'e', 'f');
  fate.watchBlock('mine');
  answer();
  t.equal(fate.watched, 1, 'five above it');
  best('g', 'mine', 'b', 'c', 'd', 'e', 'f', 'h');
  fate.checkAll();
  answer();
  t.equal(fate.watched, 0, 'six above it');
  for (let i = 0; i < 100; i++) fate.watchBlock(`unknown ${i}`);
  answer();
  t.equal(fate.watched, 64, 'no more than so many');
  t.same(lines, [], 'nothing is said of what the node does not know');
});

t.test('logs a replaced block although tips change during the check or the node is busy', async (t) => {
  const { fate, lines, best, answer, setBusy } = world();
  best('g', 'mine');
  fate.watchBlock('mine');
  best('g', 'mine', 'x');
  fate.checkAll();
  best('g', 'theirs', 'y', 'z');
  fate.checkAll();
  setBusy(true);
  answer();
  fate.checkAll();
  setBusy(false);
  t.same(lines, [], 'the node was busy');
  fate.checkAll();
  answer();
  t.same(lines, ['fleet: found block mine was beaten by theirs at height 1']);
});
