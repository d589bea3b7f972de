// Tests undo data that a power failure removed, of blocks below a snapshot that were the last ones to be connected.
import t from 'tap';
import type { ChainWorkspace } from '../../../src/chain/connect/workspace.js';
import { forgetLost } from '../../../src/chain/files/lost-tail.js';
import type { ActiveChain } from '../../../src/chain/tree/active-chain.js';
import { NodeStatus } from '../../../src/chain/tree/header-node.js';
import { StoreError } from '../../../src/storage/store-error.js';

interface Node {
  readonly height: number;
  readonly prev: Node | null;
  readonly file: number;
  undoPos: number;
  status: number;
  has(flag: number): boolean;
}

function chainOf(length: number): Node[] {
  const nodes: Node[] = [];
  for (let height = 0; height < length; height++) {
    nodes.push({
      height,
      prev: nodes.at(-1) ?? null,
      file: 0,
      undoPos: 100 * height,
      status: NodeStatus.HAVE_UNDO,
      has(flag) {
        return (this.status & flag) !== 0;
      },
    });
  }
  return nodes;
}

t.test('forgets lost undo data only of blocks that history below a snapshot has yet to connect', async (t) => {
  for (const snapshot of [true, false]) {
    const nodes = chainOf(8);
    const whole = 450;
    const ws = {
      index: { offChain: () => [], assumed: snapshot ? nodes[7] : null, dirty: new Set<Node>() },
      blocks: {
        files: { loss: null, lastWhole: null },
        readUndo: async ({ undoPos }: Node) => {
          if (undoPos > whole) throw new StoreError('STORE_CORRUPTION', 'the end of the file is lost');
        },
      },
      active: null,
      log: null,
    };
    const history = snapshot ? ({ height: 2, contains: () => false } as unknown as ActiveChain) : null;
    t.equal(await forgetLost(ws as unknown as ChainWorkspace, history), snapshot);
    const kept = nodes.map(({ undoPos }) => undoPos);
    t.same(kept, snapshot ? [0, 100, 200, 300, 400, 0, 0, 0] : [0, 100, 200, 300, 400, 500, 600, 700]);
    t.equal(ws.index.dirty.size, snapshot ? 3 : 0);
  }
});
