// Tests that getrawtransactions keeps tables of the transactions of the last blocks only. Headers stay in memory; the
// transactions of their blocks must not.
import t from 'tap';
import { type BlockView, parseBlock } from '../../../src/consensus/block/block-view.js';
import type { NodeContext } from '../../../src/rpc/context/node.js';
import { BlockTables } from '../../../src/rpc/node/job-transactions.js';
import { type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { crypto } from '../../framework/chain-fixture.js';
import { serializeTx, TRUE_SCRIPT, txid } from '../../framework/messages.js';

interface Node {
  readonly height: number;
  readonly prev: Node | null;
  readonly block: BuiltBlock;
}

/** A simulated chain that records which blocks are read. */
function chainOf(): { ctx: Pick<NodeContext, 'blocks' | 'chain'>; reads: number[]; extend(block: BuiltBlock, prev: Node | null): Node } {
  const reads: number[] = [];
  const chain = {
    tip: null as Node | null,
    hasBlock: () => true,
    readBlock: async ({ height, block }: Node): Promise<BlockView> => {
      reads.push(height);
      return parseBlock(block.bytes, crypto);
    },
  };
  const extend = (block: BuiltBlock, prev: Node | null): Node => {
    chain.tip = { height: block.height, prev, block };
    return chain.tip;
  };
  return { ctx: { chain, blocks: chain } as never, reads, extend };
}

t.test('keeps tables of at most the last three blocks and reads each block once', async (t) => {
  const { ctx, reads, extend } = chainOf();
  const tables = new BlockTables();
  const unknown = new Uint8Array(32).fill(7);
  let node: Node | null = null;
  for (const block of [GENESIS, ...buildChain(GENESIS, 20)]) {
    node = extend(block, node);
    t.equal((await tables.find(ctx, [unknown])).size, 0);
    await tables.find(ctx, [unknown]);
    t.ok(tables.size <= 3, `${tables.size} tables at height ${block.height}`);
  }
  t.same(
    reads,
    Array.from({ length: 20 }, (_, i) => i + 1),
    'each block was read once',
  );
  // Another branch of the same height replaces the last block, repeatedly.
  const { prev } = node as Node;
  for (let tag = 1; tag <= 10; tag++) {
    extend(buildBlock((prev as Node).block, { tag }), prev);
    await tables.find(ctx, [unknown]);
    t.ok(tables.size <= 3, `${tables.size} tables after reorganisation ${tag}`);
  }
});

t.test('finds transactions of the last three blocks only', async (t) => {
  const { ctx, extend } = chainOf();
  const tables = new BlockTables();
  const trunk = buildChain(GENESIS, 3);
  const coin = reward(trunk[0] as BuiltBlock);
  const tx = spend([coin], [{ value: coin.value, script: TRUE_SCRIPT }]);
  const wtxid = new Uint8Array(txid(tx));
  const holder = buildBlock(trunk[2] as BuiltBlock, { txs: [tx] });
  let node: Node | null = null;
  const found: boolean[] = [];
  for (const block of [GENESIS, ...trunk, holder, ...buildChain(holder, 3)]) {
    node = extend(block, node);
    const [one] = (await tables.find(ctx, [wtxid])).values();
    if (one !== undefined) t.same(Buffer.from(one.bytes), serializeTx(tx));
    found.push(one !== undefined);
  }
  t.same(found, [false, false, false, false, true, true, true, false]);
});
