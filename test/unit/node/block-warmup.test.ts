// Warm-ups: they run to their end, leave nothing behind, end when the node stops, and a fault in them is a line of the
// log.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { createSigner } from '../../../src/crypto/native/sign.js';
import { BlockWarmup, type BlockWarmupDeps } from '../../../src/node/block-warmup/block-warmup.js';
import { Payments } from '../../../src/node/block-warmup/payments.js';
import { type Verifier, VerifierFaultError } from '../../../src/parallel/verifier.js';
import { DEFAULT_POLICY } from '../../../src/policy/options.js';
import { InlineAssembler } from '../../framework/inline-assembler.js';
import { InlineVerifier } from '../../framework/inline-verifier.js';
import { until } from '../../framework/until.js';

const crypto = createNativeCrypto();
const SMALL = { inputs: 12, unseen: 2, tried: 2, known: 3, knownInputs: 8 };

interface World {
  readonly rehearsal: BlockWarmup;
  readonly lines: string[];
  /** Lists the remains in the place of the warm-up's folder. */
  readonly left: () => string[];
  /** Classes of all batches, and the inputs in those of blocks. */
  readonly classes: Set<string>;
  readonly inputs: () => number;
  /** Blocks large enough for threads to make their ids. */
  readonly large: () => number;
}

/** Whatever opens a chain hashes its first block. */
function full(): never {
  throw new Error('as if the disk were full');
}

function world(parent: string, deps: Partial<BlockWarmupDeps> = {}, verifier: Verifier = new InlineVerifier(crypto)): World {
  const lines: string[] = [];
  const classes = new Set<string>();
  let inputs = 0;
  let large = 0;
  const rehearsal = new BlockWarmup({
    dir: path.join(parent, 'rehearsal'),
    crypto,
    keys: createKeyMath(),
    signing: { crypto, signer: createSigner() },
    mempool: {},
    templates: {},
    blockHasher: {
      hash: async () => {
        large++;
        return false;
      },
    },
    assembler: new InlineAssembler({ hashes: crypto, now: () => performance.now() }),
    verifier: {
      size: verifier.size,
      canAcceptWork: (klass) => verifier.canAcceptWork(klass),
      verifyTxs: (batch) => {
        classes.add(batch.klass);
        for (const { tx } of batch.txs) inputs += tx.inputCount;
        return verifier.verifyTxs(batch);
      },
      stats: () => verifier.stats(),
      close: () => verifier.close(),
    },
    urgent: () => false,
    needless: () => false,
    log: { info: (line) => lines.push(`info ${line}`), warn: (line) => lines.push(`warn ${line}`) },
    size: SMALL,
    ...deps,
  });
  return { rehearsal, lines, left: () => fs.readdirSync(parent), classes, inputs: () => inputs, large: () => large };
}

for (const mode of ['core', 'chunks', 'live'] as const) {
  t.test(`runs to the end and removes its folder, with templates in mode ${mode}`, async (t) => {
    const { rehearsal, lines, left, classes, inputs, large } = world(t.testdir(), {
      templates: { mode },
    });
    t.notOk(rehearsal.begun);
    const over = rehearsal.startOnce();
    t.ok(rehearsal.begun);
    t.equal(rehearsal.startOnce(), over, 'once');
    await over;
    const [, taken, templates] =
      /^info Block warm-up finished: validated blocks with (\d+) inputs and built (\d+) templates in \d+\.\d s/.exec(lines[0] ?? '') ?? [];
    t.equal(Number(taken), 4 + 2 * 12 + 3 * 8, 'the splits, two blocks of new transactions, three of known ones');
    t.ok(Number(templates) >= 3, 'one before each known block');
    t.equal(lines.length, 1);
    t.strictSame(left(), [], 'its folder is gone');
    t.strictSame([...classes], ['scan'], 'all else that has to be checked goes first');
    // Splits; unseen blocks tried twice and taken; payments once, as they enter the mempool, two blocks of them stay there.
    t.equal(inputs(), 4 + 2 * 3 * 12 + 4 * 8, 'every script of an unseen block ran each time, those of known blocks once');
    t.equal(large(), 2 + 3, 'each block of payments goes the way of large ones');
    await rehearsal.close();
  });
}

t.test('wipe erases the signing keys of the payments', async (t) => {
  const payments = new Payments({ hashes: crypto, keys: createKeyMath() }, { crypto, signer: createSigner() }, async () => {});
  const coin = { txid: new Uint8Array(32).fill(1), index: 0, value: 1_000_000, script: payments.scripts[0]! };
  t.equal((await payments.split(coin, 2)).witness(0).length, 2, 'signature and key');
  payments.wipe();
  t.equal((await payments.split(coin, 2)).witness(0).length, 0, 'nothing to sign with');
});

t.test('removes the folder of an earlier warm-up that was killed', async (t) => {
  const { rehearsal, lines, left } = world(t.testdir({ rehearsal: { 'blk00000.dat': 'half a block', 'blk00001.dat': '' } }));
  await rehearsal.startOnce();
  t.match(lines, [/^info Block warm-up finished/], "is in nobody's way");
  t.strictSame(left(), []);
});

t.test('close ends a running warm-up without a warning and removes its folder', async (t) => {
  const { rehearsal, lines, left } = world(t.testdir(), { size: { ...SMALL, unseen: 1_000_000 } });
  const over = rehearsal.startOnce();
  await until('it has begun', () => left().length === 1);
  await rehearsal.close();
  await over;
  t.strictSame(lines, [], 'no fault');
  t.strictSame(left(), []);
});

t.test('waits while the node has urgent work', async (t) => {
  let busy = true;
  let asked = 0;
  const { rehearsal, inputs, lines } = world(t.testdir(), {
    urgent: () => {
      asked++;
      return busy;
    },
  });
  const over = rehearsal.startOnce();
  await until('it has asked some times', () => asked > 5);
  t.equal(inputs(), 0, 'it waits');
  busy = false;
  await over;
  t.match(lines, [/^info Block warm-up finished/], 'and goes on');
});

t.test('close ends a waiting warm-up without a warning', async (t) => {
  let asked = 0;
  const { rehearsal, lines, left } = world(t.testdir(), { urgent: () => ++asked > 0 });
  void rehearsal.startOnce();
  await until('it waits', () => asked > 2);
  await rehearsal.close();
  t.strictSame([lines, left()], [[], []]);
});

t.test('ends without a message when real blocks make the warm-up needless', async (t) => {
  const { rehearsal, lines, left, inputs }: World = world(t.testdir(), { needless: () => inputs() > 30 });
  await rehearsal.startOnce();
  t.strictSame([lines, left()], [[], []], 'it ends, and there is nothing to tell');
});

t.test('warns and removes its folder when the disk is full', async (t) => {
  const { rehearsal, lines, left } = world(t.testdir(), { crypto: { ...crypto, sha256d: () => full() } });
  await rehearsal.startOnce();
  t.match(lines, [/^warn Block warm-up failed.*: as if the disk were full/]);
  t.strictSame(left(), [], 'the folder goes also when opening fails');
});

t.test('does nothing when it was closed before its start', async (t) => {
  const { rehearsal, lines, left } = world(t.testdir());
  await rehearsal.close();
  await rehearsal.startOnce();
  t.strictSame(lines, []);
  t.strictSame(left(), []);
});

t.test('warns and removes its folder when a script thread dies', async (t) => {
  const dying = new InlineVerifier(crypto);
  let batches = 0;
  const verifier: Verifier = {
    size: 1,
    canAcceptWork: () => true,
    verifyTxs: async (batch) => {
      if (++batches > 4) throw new VerifierFaultError(new Error('the thread ended'));
      return dying.verifyTxs(batch);
    },
    stats: () => dying.stats(),
    close: () => dying.close(),
  };
  const { rehearsal, lines, left } = world(t.testdir(), {}, verifier);
  await rehearsal.startOnce();
  t.match(lines, [/^warn Block warm-up failed, so the first new block may take longer: /]);
  t.equal(lines.length, 1);
  t.strictSame(left(), []);
});

t.test('warns when its folder cannot be created', async (t) => {
  const dir = t.testdir({ file: '' });
  const { rehearsal, lines } = world(path.join(dir, 'file'));
  await rehearsal.startOnce();
  t.match(lines, [/^warn Block warm-up failed/]);
});

t.test('warns and removes its folder when the mempool rejects its payments', async (t) => {
  const { rehearsal, lines, left } = world(t.testdir(), { mempool: { policy: { ...DEFAULT_POLICY, minRelayFeeRate: 100_000_000 } } });
  await rehearsal.startOnce();
  t.match(lines, [/^warn Block warm-up failed.*: Refused: /]);
  t.strictSame(left(), []);
});
