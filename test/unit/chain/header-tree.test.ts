// Tests the header tree alone: pointers to distant ancestors, median times, order of candidates, and the time to load a
// million rows.

import t from 'tap';
import { ActiveChain } from '../../../src/chain/tree/active-chain.js';
import { BlockIndex } from '../../../src/chain/tree/block-index.js';
import { Candidates, compareCandidates } from '../../../src/chain/tree/candidates.js';
import { type HeaderNode, HeaderSlabs, lastCommonAncestor, NodeStatus } from '../../../src/chain/tree/header-node.js';
import { loadIndex } from '../../../src/chain/tree/load-index.js';
import { encodeIndexRow } from '../../../src/storage/codec/index-row.js';
import { blockIndexKey } from '../../../src/storage/layout.js';
import { MemoryStore } from '../../../src/storage/memory-store.js';
import type { BatchOp } from '../../../src/storage/store.js';
import { fc } from '../../framework/fast-check.js';
import { sha256 } from '../../framework/messages.js';
import { pseudoRandom } from '../../framework/pseudo-random.js';

/** Mainnet's highest target, 0x1d00ffff. */
const POW_LIMIT = 0xffffn << 208n;

const header = (time: number, nonce = 0): Uint8Array => {
  const bytes = Buffer.alloc(80);
  bytes.writeInt32LE(-2, 0);
  bytes.fill(5, 4, 36);
  bytes.fill(6, 36, 68);
  bytes.writeUInt32LE(time, 68);
  bytes.writeUInt32LE(0xfffefdfc, 72);
  bytes.writeUInt32LE(nonce, 76);
  return bytes;
};
const hash = (n: number): Uint8Array => {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32LE(n, 0);
  return bytes;
};

t.test('returns the fields of a header from its packed form', async (t) => {
  const node = new HeaderSlabs().createNode(null, 9n, header(0xf0000001, 0xffffffff), hash(77));
  t.same([node.version, node.time, node.bits, node.nonce, node.height, node.chainWork], [-2, 0xf0000001, 0xfffefdfc, 0xffffffff, 0, 9n]);
  t.equal(node.hashHex, `${'0'.repeat(56)}0000004d`);
  t.same(Buffer.from(node.merkleRoot), Buffer.alloc(32, 6));
  t.same(Buffer.from(node.prevHash), Buffer.alloc(32, 5));
});

t.test('finds ancestors and common ancestors as a plain walk does', async (t) => {
  const slabs = new HeaderSlabs();
  const random = pseudoRandom(1);
  const nodes: HeaderNode[] = [slabs.createNode(null, 1n, header(0), hash(0))];
  // A long trunk, with branches that start in its last part.
  for (let i = 1; i < 10_000; i++) {
    const parent = i < 6000 || random() < 0.7 ? nodes[nodes.length - 1]! : nodes[nodes.length - 1 - Math.floor(random() * 500)]!;
    nodes.push(slabs.createNode(parent, 1n, header(i), hash(i)));
  }
  const walk = (node: HeaderNode, height: number): HeaderNode => {
    let at = node;
    while (at.height > height) at = at.prev!;
    return at;
  };
  const wrong: string[] = [];
  for (let i = 0; i < 2000; i++) {
    const node = nodes[Math.floor(random() * nodes.length)]!;
    const height = Math.floor(random() * (node.height + 1));
    if (node.ancestor(height) !== walk(node, height)) wrong.push(`${node.height} to ${height}`);
    const other = nodes[Math.floor(random() * nodes.length)]!;
    const fork = lastCommonAncestor(node, other);
    const next = (n: HeaderNode) => (n === fork ? null : walk(n, fork.height + 1));
    if (!node.descendsFrom(fork) || !other.descendsFrom(fork) || (next(node) !== null && next(node) === next(other)))
      wrong.push(`fork ${i}`);
  }
  t.same(wrong, []);
  t.equal(nodes[5]!.ancestor(6), null);
  t.equal(nodes[5]!.ancestor(-1), null);
});

t.test('computes the median time past of one to eleven blocks', async (t) => {
  const slabs = new HeaderSlabs();
  const times = [5, 1, 9, 3, 7, 2, 8, 6, 4, 11, 10, 0];
  let node: HeaderNode | null = null;
  const medians = times.map((time, i) => {
    node = slabs.createNode(node, 1n, header(time), hash(i));
    return node.medianTimePast();
  });
  // If the number of times is even, the upper of the two middle ones counts. The twelfth block drops the first time.
  t.same(medians, [5, 5, 5, 5, 5, 5, 5, 6, 5, 6, 6, 6]);
});

t.test('sorts candidates as a plain sorted set does', async (t) => {
  const slabs = new HeaderSlabs();
  const nodes = Array.from({ length: 30 }, (_, i) => {
    const node = slabs.createNode(null, BigInt(i % 5), header(0), hash(i));
    node.sequenceId = i % 3;
    return node;
  });
  const commands = fc.array(fc.record({ what: fc.constantFrom('add', 'delete', 'prune', 'addAll'), which: fc.nat(29) }), { maxLength: 60 });
  fc.assert(
    fc.property(commands, (list) => {
      const set = new Candidates();
      let model = new Set<HeaderNode>();
      for (const { what, which } of list) {
        const node = nodes[which]!;
        if (what === 'add') {
          set.add(node);
          model.add(node);
        } else if (what === 'delete') {
          set.delete(node);
          model.delete(node);
        } else if (what === 'addAll') {
          set.addAll(nodes.slice(which));
          for (const other of nodes.slice(which)) model.add(other);
        } else {
          set.pruneBelow(node);
          model = new Set([...model].filter((other) => compareCandidates(other, node) >= 0));
        }
        const expected = [...model].sort(compareCandidates);
        if (set.size !== model.size || set.best !== expected[expected.length - 1] || [...set].some((n, i) => n !== expected[i]))
          return false;
        if (nodes.some((n) => set.has(n) !== model.has(n))) return false;
      }
      return true;
    }),
    { numRuns: 200 },
  );
  t.pass('200 runs');
});

t.test('follows its tip on an extension, a reorganisation and a shortening', async (t) => {
  const active = new ActiveChain();
  const slabs = new HeaderSlabs();
  const build = (from: HeaderNode | null, count: number, tag: number) => {
    const list: HeaderNode[] = [];
    for (let i = 0, prev = from; i < count; i++) list.push((prev = slabs.createNode(prev, 1n, header(i), hash(tag + i))));
    return list;
  };
  const trunk = build(null, 10, 0);
  const branch = build(trunk[4]!, 8, 100);
  active.setTip(trunk[9]!);
  t.ok(trunk.every((node, i) => active.at(i) === node));
  active.setTip(branch[7]!);
  t.equal(active.height, 12);
  t.ok(branch.every((node) => active.contains(node)) && trunk.slice(0, 5).every((node) => active.contains(node)));
  t.notOk(active.contains(trunk[5]!));
  t.equal(active.fork(trunk[9]!), trunk[4]);
  t.equal(active.next(trunk[4]!), branch[0]);
  active.setTip(trunk[6]!);
  t.equal(active.height, 6);
  t.equal(active.at(7), undefined);
  t.equal(active.fork(trunk[9]!), trunk[6]);
});

t.test('loads a large header tree from its rows, and rejects gaps', async (t) => {
  // A tenth of mainnet's headers, to keep the test short.
  const count = 100_000;
  const status = NodeStatus.HEADER_VALID | NodeStatus.HAVE_DATA | NodeStatus.TRANSACTIONS_VALID | NodeStatus.SCRIPTS_VALID;
  const store = new MemoryStore();
  const ops: BatchOp[] = [];
  let prev = new Uint8Array(32);
  for (let height = 0; height < count; height++) {
    const bytes = Buffer.from(header(height));
    bytes.set(prev, 4);
    bytes.writeUInt32LE(0x1d00ffff, 72);
    // Real hashes would need too much work. This one is small enough for the target but is not the header's hash.
    const id = new Uint8Array(sha256(bytes)).fill(0, 26);
    const row = {
      header: new Uint8Array(bytes),
      height,
      status,
      txCount: 2,
      file: height >> 12,
      blockPos: 8 + (height & 4095) * 300,
      undoPos: 0,
    };
    ops.push({ type: 'put', key: blockIndexKey(id), value: encodeIndexRow(row) });
    prev = id;
  }
  await store.batch(ops);
  const active = new ActiveChain();
  const index = new BlockIndex(active);
  const begin = performance.now();
  const loaded = await loadIndex(store, index, POW_LIMIT);
  const tip = index.get(prev)!;
  active.setTip(tip);
  index.finishLoad();
  t.comment(`${count} rows in ${Math.round(performance.now() - begin)} ms`);
  t.same(loaded.lastKnown, { file: 24, pos: 8 + ((count - 1) & 4095) * 300 });
  t.equal(active.height, count - 1);
  t.equal(tip.chainTxCount, 2 * count);
  t.equal(tip.chainWork, 4_295_032_833n * BigInt(count));
  t.equal(index.candidates.size, 1);
  t.ok(
    [0, 1, 4095, 4096, count - 2].every(
      (height) => active.at(height)!.time === height && active.at(height)!.blockPos === 8 + (height & 4095) * 300,
    ),
  );
  t.equal(index.bestHeader, tip);

  const gap = new MemoryStore();
  await gap.batch(ops.filter((_, height) => height !== 500));
  await t.rejects(loadIndex(gap, new BlockIndex(new ActiveChain()), POW_LIMIT), { code: 'STORE_CORRUPTION' });
  await gap.batch([{ type: 'del', key: ops[count - 1]!.key }]);
  await t.rejects(loadIndex(gap, new BlockIndex(new ActiveChain()), POW_LIMIT), { code: 'STORE_CORRUPTION' });
});

t.test('rejects a stored header without proof of work or with an invalid target', async (t) => {
  const load = async (bits: number, top: number): Promise<unknown> => {
    const bytes = Buffer.from(header(0));
    bytes.writeUInt32LE(bits, 72);
    // The target 0x1d00ffff: the upper 32 bits are zero, the next sixteen are ones.
    const id = new Uint8Array(32).fill(1);
    id.set([0xff, top, 0, 0, 0, 0], 26);
    const store = new MemoryStore();
    const row = { header: new Uint8Array(bytes), height: 0, status: NodeStatus.HEADER_VALID, txCount: 0, file: 0, blockPos: 0, undoPos: 0 };
    await store.batch([{ type: 'put', key: blockIndexKey(id), value: encodeIndexRow(row) }]);
    return loadIndex(store, new BlockIndex(new ActiveChain()), POW_LIMIT);
  };
  await t.resolves(load(0x1d00ffff, 0xfe));
  await t.rejects(load(0x1d00ffff, 0xff), { code: 'STORE_CORRUPTION', message: /lacks proof of work/ });
  await t.rejects(load(0x1c00ffff, 0xfe), { code: 'STORE_CORRUPTION', message: /lacks proof of work/ });
  await t.rejects(load(0x1d010000, 0xfe), { code: 'STORE_CORRUPTION', message: /target out of range/ });
  await t.rejects(load(0x1d80ffff, 0xfe), { code: 'STORE_CORRUPTION', message: /target out of range/ });
});
