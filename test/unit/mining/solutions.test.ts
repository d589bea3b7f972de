// Files of submitted blocks: in which order they are written and synced, what a start makes of whole and damaged ones,
// and when they go.
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import type { BlockView } from '../../../src/consensus/block/block-view.js';
import { hashToHex } from '../../../src/consensus/bytes/hex.js';
import type { Reject } from '../../../src/consensus/state.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { type Logger, silentLogger } from '../../../src/log/logger.js';
import { syncSolution, writeSolution } from '../../../src/mining/serve/block-keeper.js';
import { Solutions } from '../../../src/mining/solutions.js';
import { ANYONE, buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';
import { fc } from '../../framework/fast-check.js';
import { until } from '../../framework/until.js';

const hashes = createNativeHashes();
const trunk = buildChain(GENESIS, 3);
const payments = trunk.map((block) => spend([reward(block)], [{ value: 1_000, script: Buffer.alloc(400, 0x51) }]));
for (const [i, tx] of payments.entries()) if (i > 0) tx.ins[0]!.witness = [Buffer.alloc(300, i)];
const block = buildBlock(trunk[2]!, { txs: payments });
const child = buildBlock(block, { script: ANYONE });
const bytesOf = (built: { bytes: Buffer }): Uint8Array => new Uint8Array(built.bytes);

function folder(t: Test): string {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(tmpdir()), 'adit-solutions-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A chain that takes every block on one that it has, and lines of the log. */
function world(dir: string) {
  const held = new Set<string>();
  /** Hashes of blocks at which the test injects an exception. */
  const faulty = new Set<string>();
  const parents = new Set([trunk[2]!.hashHex]);
  const submitted: string[] = [];
  const lines: string[] = [];
  let synced = Promise.resolve();
  const note = (text: string): void => void lines.push(text);
  const log = { ...silentLogger, info: note, warn: note, error: note } as Logger;
  const missing: Reject = { category: 'missing-prev', reason: 'prev-blk-not-found', debug: '' };
  const solutions = new Solutions({
    ...{ name: 'Stratum V2', dir, hashes, log, coinbaseWatch: { checkSubmitted: () => {} } },
    chain: {
      known: (hash) => (held.has(hashToHex(hash)) || parents.has(hashToHex(hash)) ? 'duplicate' : 'unknown'),
      withWitnessReserved: (view: BlockView) => {
        if (faulty.has(hashToHex(view.hash))) throw new TypeError('a bug');
        return view;
      },
      submitBlock: async ({ header }: BlockView) => {
        submitted.push(hashToHex(header.hash));
        const prevHex = hashToHex(header.prevHash);
        if (!held.has(prevHex) && !parents.has(prevHex)) return { kind: 'invalid', reject: missing };
        held.add(hashToHex(header.hash));
        return { kind: 'accepted', reject: null };
      },
      holds: (hash) => held.has(hashToHex(hash)),
      sync: () => synced,
    },
  });
  const syncs = (promise: Promise<void>): void => {
    synced = promise;
  };
  return { solutions, submitted, lines, parents, syncs, faulty };
}

t.test('writes a block under its name in one step, then syncs file and folder', async (t) => {
  const dir = folder(t);
  const file = writeSolution(dir, block.hashHex, bytesOf(block));
  t.equal(file, path.join(dir, `${block.hashHex}.blk`));
  t.same(fs.readdirSync(dir), [`${block.hashHex}.blk`], 'under its name, and no other file');
  t.same(fs.readFileSync(file), block.bytes);
  t.equal(fs.statSync(file).mode & 0o777, 0o600);
  const opened: string[] = [];
  const { open } = fs.promises;
  t.teardown(() => Object.assign(fs.promises, { open }));
  fs.promises.open = (async (name: string, ...rest: [string]) => {
    const handle = await open(name, ...rest);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      opened.push(path.relative(dir, name) || '.');
      await sync();
    };
    return handle;
  }) as typeof open;
  await syncSolution(file);
  t.same(opened, [`${block.hashHex}.blk`, '.']);
  // Remains of an earlier run are replaced.
  fs.writeFileSync(file, block.bytes.subarray(0, 200));
  writeSolution(dir, block.hashHex, bytesOf(block));
  t.same(fs.readFileSync(file), block.bytes);
});

t.test('submits a file whole after a power loss, or sets it aside once when it is damaged', async (t) => {
  const cuts = fc.oneof(
    fc.record({ kind: fc.constant('truncated' as const), at: fc.nat(block.bytes.length - 1) }),
    fc.record({ kind: fc.constant('zeroed' as const), at: fc.nat(block.bytes.length - 1) }),
    fc.record({ kind: fc.constant('longer' as const), at: fc.integer({ min: 1, max: 5_000 }) }),
    fc.record({ kind: fc.constant('another' as const), at: fc.constant(0) }),
    fc.record({ kind: fc.constant('whole' as const), at: fc.constant(0) }),
  );
  let damaged = 0;
  await fc.assert(
    fc.asyncProperty(cuts, fc.constantFrom('blk', 'new'), async ({ kind, at }, ending) => {
      const dir = folder(t);
      const bytes = Buffer.from(kind === 'another' ? child.bytes : block.bytes);
      const content =
        kind === 'truncated'
          ? bytes.subarray(0, at)
          : kind === 'zeroed'
            ? bytes.fill(0, at)
            : kind === 'longer'
              ? Buffer.concat([bytes, Buffer.alloc(at)])
              : bytes;
      fs.writeFileSync(path.join(dir, `${block.hashHex}.${ending}`), content);
      // Zeros where zeros were are no damage.
      const { solutions, submitted, lines } = world(dir);
      await solutions.resubmit();
      const intact = content.equals(block.bytes);
      const left = fs.readdirSync(dir);
      if (intact !== (submitted.length === 1)) throw new Error(`${kind} at ${at}: submitted ${submitted.length} times`);
      if (left.join() !== (intact ? '' : `${block.hashHex}.damaged`)) throw new Error(`${kind} at ${at}: ${left.join()}`);
      if (intact) return;
      damaged++;
      if (!fs.readFileSync(path.join(dir, left[0]!)).equals(content)) throw new Error('it was changed');
      if (lines.filter((line) => line.includes('is not the whole block')).length !== 1) throw new Error(lines.join('\n'));
      await solutions.resubmit();
      if (lines.length !== 1 || submitted.length !== 0) throw new Error(`told again: ${lines.join('\n')}`);
    }),
    { numRuns: 150 },
  );
  t.ok(damaged > 50, `${damaged} damaged files`);
});

t.test('removes the file of a block only after the chain is synced', async (t) => {
  const dir = folder(t);
  const { solutions, syncs } = world(dir);
  let end = (): void => {};
  syncs(
    new Promise((resolve) => {
      end = resolve;
    }),
  );
  const file = writeSolution(dir, block.hashHex, bytesOf(block));
  const from = { finder: 'client 1', address: '', height: block.height, late: false };
  const judged = solutions.judgeSolution({ kind: 'solution', hashHex: block.hashHex, block: bytesOf(block), file, ...from });
  await until('it is judged', () => solutions.outcomes.accepted === 1);
  t.same(fs.readdirSync(dir), [`${block.hashHex}.blk`], 'and its file is there');
  end();
  await judged;
  t.same(fs.readdirSync(dir), []);
});

t.test('retains the file of a block when the chain cannot be synced', async (t) => {
  const dir = folder(t);
  const { solutions, syncs, lines } = world(dir);
  const broken = Promise.reject(new Error('no disk'));
  broken.catch(() => {});
  syncs(broken);
  writeSolution(dir, block.hashHex, bytesOf(block));
  await solutions.resubmit();
  t.same(fs.readdirSync(dir), [`${block.hashHex}.blk`]);
  t.match(lines.at(-1), /no disk/);
});

t.test('submits a block again when its missing parent arrives', async (t) => {
  const dir = folder(t);
  const { solutions, submitted, parents } = world(dir);
  writeSolution(dir, child.hashHex, bytesOf(child));
  await solutions.resubmit();
  t.same(submitted, [child.hashHex]);
  t.same(fs.readdirSync(dir), [`${child.hashHex}.blk`], 'it is not invalid');
  solutions.tipChanged();
  await solutions.settled();
  t.equal(submitted.length, 1, 'the parent is still missing');
  parents.add(block.hashHex);
  solutions.tipChanged();
  await solutions.settled();
  t.equal(submitted.length, 2);
  t.same(fs.readdirSync(dir), [], 'and now it is in the chain');
  solutions.tipChanged();
  await solutions.settled();
  t.equal(submitted.length, 2);
});

t.test('logs an exception in one file, and still processes the other files', async (t) => {
  const dir = folder(t);
  const { solutions, submitted, lines, parents, faulty } = world(dir);
  for (const one of [block, child]) writeSolution(dir, one.hashHex, bytesOf(one));
  faulty.add(block.hashHex);
  await solutions.resubmit();
  t.same(submitted, [child.hashHex]);
  t.equal(lines.filter((line) => line.includes('a bug')).length, 1);
  // The child waits for its parent; what it meets then has no caller that could catch it.
  faulty.add(child.hashHex);
  parents.add(block.hashHex);
  solutions.tipChanged();
  await solutions.settled();
  t.equal(lines.filter((line) => line.includes('a bug')).length, 2);
});
