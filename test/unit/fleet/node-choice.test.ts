// Which node a front follows: most work, first seen, never back, margins, silence.
import t from 'tap';
import { NodeChoice } from '../../../src/fleet/follow/node-choice.js';
import type { NodeFact } from '../../../src/fleet/messages.js';

const hex = (n: number): string => n.toString(16).padStart(64, '0');

/** A fact of a node whose tip is named by a number. */
function fact(work: number, tip: number, more: { pays?: number; ready?: boolean; stopping?: boolean } = {}): NodeFact {
  const { pays = 0, ready = true, stopping = false } = more;
  return {
    tip: { height: work, hashHex: hex(tip), difficulty: 1, chainWorkHex: hex(work) },
    epoch: 0,
    mempoolCounter: 0,
    flags: 0,
    connections: 0,
    mockSeconds: 0,
    clockMs: 0,
    template: pays === 0 ? null : { serial: 1, prevHashHex: hex(tip), coinbaseValue: pays, empty: false },
    ready,
    stopping,
    wallets: [],
    nonce: '',
  };
}

function world() {
  let now = 0;
  const choice = new NodeChoice({ timeoutMs: 2000, marginSats: 100 }, ['a', 'b', 'c']);
  return {
    choice,
    wait: (ms: number) => {
      now += ms;
    },
    says: (name: string, said: NodeFact, run = 'r1') => choice.takeFact(name, run, said, now),
    follows: () => {
      const node = choice.choose(now);
      return node && `${node.name} ${Number.parseInt(node.fact.tip.hashHex, 16)}`;
    },
    callable: () => choice.callable(now).map(({ name }) => name),
    disagree: () => choice.disagree(now),
  };
}

t.test('follows the node with the most work, and the first seen among equals', async (t) => {
  const w = world();
  t.equal(w.follows(), null, 'no node has published');
  w.says('a', fact(5, 51));
  t.equal(w.follows(), 'a 51');
  w.says('b', fact(5, 52));
  t.equal(w.follows(), 'a 51', 'the first of two equals');
  t.ok(w.disagree());
  w.says('b', fact(6, 61));
  t.equal(w.follows(), 'b 61');
  w.says('a', fact(6, 62));
  t.equal(w.follows(), 'b 61');
  w.says('a', fact(6, 61));
  t.notOk(w.disagree());
});

t.test('never returns to a tip with less work', async (t) => {
  const w = world();
  w.says('a', fact(5, 51));
  w.says('b', fact(6, 61));
  t.equal(w.follows(), 'b 61');
  w.wait(3000);
  w.says('a', fact(5, 51));
  t.equal(w.follows(), 'b 61', 'the node is silent, its tip stays');
  t.same(w.callable(), ['a'], 'but calls go to the other');
  w.says('b', fact(5, 51), 'r2');
  t.equal(w.follows(), 'b 61', 'it came back in another run, and does not know the tip yet');
  w.says('a', fact(6, 63));
  t.equal(w.follows(), 'a 63', 'another tip with as much work, of a node that publishes');
  w.says('a', fact(6, 61));
  t.equal(w.follows(), 'a 61');
  w.says('b', fact(7, 71), 'r2');
  t.equal(w.follows(), 'b 71');
});

t.test('follows a node that rolls back its own tip', async (t) => {
  const w = world();
  w.says('a', fact(6, 61));
  w.says('b', fact(5, 51));
  t.equal(w.follows(), 'a 61');
  w.says('a', fact(5, 51));
  t.equal(w.follows(), 'a 51', 'invalidateblock, for one');
});

t.test('ignores starting, stopping and silent nodes', async (t) => {
  const w = world();
  w.says('a', fact(5, 51, { ready: false }));
  t.equal(w.follows(), null, 'a node that starts has nothing to say yet');
  w.says('a', fact(5, 51));
  w.says('b', fact(5, 51));
  t.equal(w.follows(), 'a 51');
  w.says('a', fact(5, 51, { stopping: true }));
  t.equal(w.follows(), 'b 51', 'at once');
  t.same(w.callable(), ['b']);
  w.says('a', fact(5, 51));
  w.wait(1999);
  t.equal(w.follows(), 'b 51');
  w.wait(1);
  w.says('a', fact(5, 51));
  t.equal(w.follows(), 'a 51', 'silent for the timeout');
});

t.test('follows a stopping node while it alone has the best tip', async (t) => {
  const w = world();
  w.says('a', fact(6, 61, { stopping: true }));
  w.says('b', fact(5, 51));
  t.equal(w.follows(), 'a 61');
  w.says('b', fact(6, 61));
  t.equal(w.follows(), 'b 61');
});

t.test('switches to a template that pays more by a margin, on the same tip only', async (t) => {
  const w = world();
  w.says('a', fact(5, 51, { pays: 1000 }));
  t.equal(w.follows(), 'a 51');
  w.says('b', fact(5, 51, { pays: 1099 }));
  t.equal(w.follows(), 'a 51');
  w.says('b', fact(5, 51, { pays: 1100 }));
  t.equal(w.follows(), 'b 51');
  w.says('a', fact(5, 51, { pays: 1150 }));
  t.equal(w.follows(), 'b 51', 'not back and forth');
  w.says('c', fact(5, 52, { pays: 9999 }));
  t.equal(w.follows(), 'b 51', 'only on the same tip');
});
