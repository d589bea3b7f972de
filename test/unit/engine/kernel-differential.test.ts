// The engine's kernel and the ordinary rules connect the same random blocks on the same coins: the kernel accepts exactly
// what the rules accept, with the same coins, undo data, fees and costs.
import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { blockMerkleRoot } from '../../../src/consensus/block/merkle.js';
import { regtestParams } from '../../../src/consensus/params/regtest.js';
import { rounds } from '../../framework/depth.js';
import {
  type BlockDraft,
  MONEY,
  randomDraft,
  randomOps,
  randomScript,
  randomWorld,
  sealDraft,
  type World,
} from '../../framework/engine-blocks.js';
import { connectOrdinarily, crypto, differenceOf, factsOf, KernelWithoutThreads } from '../../framework/engine-kernel.js';
import { hash256 } from '../../framework/messages.js';
import { mutate, Random } from '../../framework/mutate.js';

const params = regtestParams();
const kernels = [await KernelWithoutThreads.create(1), await KernelWithoutThreads.create(3)];
/** BIP-0030 is not enforced here: every node of a random world has this hash. */
const settled = { ...params, bip34Hash: new Uint8Array(32).fill(1) };

/** Changes one field of a draft. The block stays sealed: roots are computed afterwards. */
function changeField(draft: BlockDraft, random: Random): void {
  const tx = random.pick(draft.txs);
  const input = random.pick(tx.ins);
  const output = random.pick(tx.outs);
  switch (random.below(16)) {
    case 0:
      tx.version = random.below(0x1_0000_0000) | 0;
      break;
    case 1:
      tx.locktime = random.pick([1, 599, 600, 601, 499_999_999, 500_000_000, 1_700_000_000, 0xffffffff]);
      break;
    case 2:
      input.txid = Buffer.from(random.pick([random.bytes(32), random.pick(draft.txs).ins[0].txid, Buffer.alloc(32)]));
      break;
    case 3:
      input.index = random.pick([0, 1, 2, 0xffffffff, input.index + 1]) >>> 0;
      break;
    case 4:
      input.script = random.pick([randomOps(random, 30), random.bytes(random.below(120)), Buffer.alloc(0), random.bytes(1)]);
      break;
    case 5:
      input.sequence = random.below(0x1_0000_0000);
      break;
    case 6:
      input.witness = [random.bytes(random.below(600)), randomOps(random, 20)];
      break;
    case 7:
      output.value = random.pick([0, 1, output.value + 1, MONEY, MONEY + 1, Number.MAX_SAFE_INTEGER, Math.max(0, output.value - 1)]);
      break;
    case 8:
      output.script = randomScript(random);
      break;
    case 9:
      tx.ins.splice(random.below(tx.ins.length), 1);
      break;
    case 10:
      tx.ins.push({ ...input });
      break;
    case 11:
      tx.outs.splice(random.below(tx.outs.length), 1);
      break;
    case 12:
      draft.txs.push({ ...tx });
      break;
    case 13:
      draft.txs.splice(random.below(draft.txs.length), 1);
      break;
    case 14:
      draft.txs.reverse();
      break;
    default:
      draft.commit = !draft.commit;
  }
}

/** Runs both paths. @returns the ordinary reason (null: accepted) and what differs */
function compare(kernel: KernelWithoutThreads, world: World, bytes: Uint8Array, chain = params): { reason: unknown; wrong: string | null } {
  const ordinary = connectOrdinarily(bytes, world.parent, chain, world.coins);
  const time = bytes.length < 80 ? 0 : Buffer.from(bytes).readUInt32LE(68);
  const block = factsOf(world.parent, hash256(bytes.subarray(0, 80)), time, chain);
  const ours = kernel.run(block, bytes, world.coins, world.medianTimes);
  const both = `${ordinary.rejected}, kernel ${ours.rejected}`;
  if ((ordinary.rejected === null) !== (ours.rejected === null)) return { reason: ordinary.rejected, wrong: both };
  return { reason: ordinary.rejected, wrong: ordinary.rejected === null ? differenceOf(ordinary, ours) : null };
}

/** Counts outcomes by the ordinary reason, and collects what differs. */
class Tally {
  readonly reasons = new Map<unknown, number>();
  readonly wrong: string[] = [];

  add(name: string, { reason, wrong }: { reason: unknown; wrong: string | null }): void {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
    if (wrong !== null && this.wrong.length < 10) this.wrong.push(`${name}: ${wrong}`);
  }
}

/** Heights before and after the activation of BIP-0068 and BIP-0034 on regtest, and of long heights. */
const HEIGHTS = [15, 16, 130, 300, 431, 432, 499, 500, 620];

t.test('random blocks have the same outcome on both paths', async (t) => {
  const tally = new Tally();
  for (let seed = 0; seed < rounds(250, 40_000); seed++) {
    const random = new Random(seed);
    const world = randomWorld(random, random.pick(HEIGHTS), 40);
    const chain = seed % 4 === 0 ? settled : params;
    tally.add(`seed ${seed}`, compare(kernels[seed % 2], world, sealDraft(randomDraft(random, world, params), world.parent), chain));
  }
  t.strictSame(tally.wrong, []);
  t.ok((tally.reasons.get(null) ?? 0) > rounds(60, 10_000), `accepted: ${tally.reasons.get(null)}`);
  t.comment(JSON.stringify([...tally.reasons]));
});

t.test('a block with a changed field has the same outcome on both paths', async (t) => {
  const tally = new Tally();
  for (let seed = 0; seed < rounds(500, 40_000); seed++) {
    const random = new Random(0x1000_0000 + seed);
    const world = randomWorld(random, random.pick(HEIGHTS), 30);
    const draft = randomDraft(random, world, params);
    for (let n = 1 + random.below(2); n > 0; n--)
      if (draft.txs.length > 0 && draft.txs.every((tx) => tx.ins.length > 0 && tx.outs.length > 0)) changeField(draft, random);
    if (draft.txs.length === 0 || draft.txs[0].ins.length === 0) continue;
    tally.add(`seed ${seed}`, compare(kernels[seed % 2], world, sealDraft(draft, world.parent)));
  }
  t.strictSame(tally.wrong, []);
  const names = [...tally.reasons.keys()];
  for (const reason of [
    null,
    'bad-txns-nonfinal',
    'bad-cb-length',
    'bad-cb-multiple',
    'bad-cb-missing',
    'bad-cb-amount',
    'bad-txns-inputs-missingorspent',
    'bad-txns-inputs-duplicate',
    'bad-txns-premature-spend-of-coinbase',
    'bad-txns-in-belowout',
    'bad-txns-vout-toolarge',
    'bad-txns-duplicate',
    'unexpected-witness',
  ])
    t.ok(names.includes(reason), `${reason} occurred`);
  t.comment(JSON.stringify([...tally.reasons]));
});

t.test('a block with changed bytes has the same outcome on both paths', async (t) => {
  const tally = new Tally();
  for (let seed = 0; seed < rounds(500, 40_000); seed++) {
    const random = new Random(0x2000_0000 + seed);
    const world = randomWorld(random, 620, 20);
    const draft = randomDraft(random, world, params);
    if (seed % 2 === 0) {
      // Without witnesses there is no commitment that a changed byte would break.
      for (const tx of draft.txs) for (const input of tx.ins) input.witness = [];
      draft.commit = false;
    }
    const sealed = sealDraft(draft, world.parent);
    const bytes = seed % 4 < 2 ? withOtherBytes(sealed, random) : Buffer.from(mutate(sealed, random));
    if (random.below(4) > 0) repairRoot(bytes);
    tally.add(`seed ${seed}`, compare(kernels[seed % 2], world, bytes));
  }
  t.strictSame(tally.wrong, []);
  t.ok((tally.reasons.get(null) ?? 0) > rounds(20, 2_000), `accepted: ${tally.reasons.get(null)}`);
  t.ok(tally.reasons.size > 8, `${tally.reasons.size} reasons`);
  t.comment(JSON.stringify([...tally.reasons]));
});

/** A copy with one or two other bytes behind the header. */
function withOtherBytes(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  for (let n = 1 + random.below(2); n > 0; n--) copy[80 + random.below(copy.length - 80)] = random.below(256);
  return copy;
}

/** Puts the root of the transactions into the header, if the bytes can be parsed, so that the rules behind are reached. */
function repairRoot(bytes: Buffer): void {
  try {
    bytes.set(blockMerkleRoot(parseBlock(bytes, crypto)).root, 36);
  } catch {
    // The parser refuses the bytes. Both paths must, too.
  }
}
