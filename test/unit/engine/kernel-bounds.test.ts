// The kernel reads the bytes of a block inside its slot only, and writes nothing outside: random and changed bytes give the
// same result whatever lies around them, and the guard zones before and behind the slot stay as they were.
import t from 'tap';
import { regtestParams } from '../../../src/consensus/params/regtest.js';
import { PAGE_BYTES } from '../../../src/engine/kernel-module.js';
import { rounds } from '../../framework/depth.js';
import { randomDraft, randomWorld, sealDraft, type World } from '../../framework/engine-blocks.js';
import { factsOf, KernelWithoutThreads } from '../../framework/engine-kernel.js';
import { hash256 } from '../../framework/messages.js';
import { mutate, Random } from '../../framework/mutate.js';

const params = regtestParams();
const kernel = await KernelWithoutThreads.create(2);
const { slot, slotBytes } = kernel;
const end = slot + slotBytes;
/** Fields of the head and the block; what parse writes lies behind them. */
const raw = slot + kernel.kernel.layout('RAW');

/** Runs the block with `filler` in the guard zones and behind the block's bytes. @returns the code and all tables of the slot */
function runWith(filler: number, world: World, bytes: Uint8Array): { code: number; guards: boolean; numbers: number[] } {
  const { bytes: memory } = kernel;
  memory.fill(filler, slot - PAGE_BYTES, slot);
  memory.fill(filler, end, end + PAGE_BYTES);
  // Behind the longest block of this test, and over what the last run wrote.
  memory.fill(filler, slot, raw + 200_000);
  kernel.load(world.coins);
  kernel.fill(factsOf(world.parent, hash256(bytes.subarray(0, 80)), world.parent.time + 600, params), bytes, world.medianTimes);
  const code = kernel.connect();
  const guards =
    memory.subarray(slot - PAGE_BYTES, slot).every((byte) => byte === filler) &&
    memory.subarray(end, end + PAGE_BYTES).every((byte) => byte === filler);
  const accepted = code === 0;
  return {
    code,
    guards,
    numbers: accepted ? ['TX_COUNT', 'INPUT_COUNT', 'SIGOP_COST', 'UNDO_LENGTH'].map((name) => kernel.word(name)) : [],
  };
}

function check(name: string, world: World, bytes: Uint8Array, wrong: string[]): number {
  const runs = [0x00, 0xff, 0x01].map((filler) => runWith(filler, world, bytes));
  const [first] = runs;
  for (const run of runs) {
    if (!run.guards) wrong.push(`${name}: wrote into a guard zone`);
    if (run.code !== first.code || run.numbers.join() !== first.numbers.join())
      wrong.push(`${name}: codes ${runs.map(({ code }) => code)}`);
  }
  return first.code;
}

t.test('random bytes behind a header', async (t) => {
  const wrong: string[] = [];
  const codes = new Set<number>();
  for (let seed = 0; seed < rounds(200, 20_000); seed++) {
    const random = new Random(0x3000_0000 + seed);
    const world = randomWorld(random, 620, 3);
    const bytes = Buffer.concat([
      random.bytes(80),
      Buffer.from([random.pick([1, 2, 3, 0xfd, 0xff])]),
      random.bytes(20 + random.below(400)),
    ]);
    // Counts that a parser would follow far behind the end.
    if (random.below(2) === 0) bytes.set([2, 0, 0, 0, random.pick([1, 0xfd, 0xfe, 0xff])], 81 + random.below(3));
    codes.add(check(`seed ${seed}`, world, bytes, wrong));
  }
  t.strictSame(wrong, []);
  t.notOk(codes.has(0), 'none is valid');
});

t.test('valid blocks, changed, and cut at every kind of place', async (t) => {
  const wrong: string[] = [];
  const codes = new Set<number>();
  for (let seed = 0; seed < rounds(200, 20_000); seed++) {
    const random = new Random(0x4000_0000 + seed);
    const world = randomWorld(random, 620, 10);
    const sealed = sealDraft(randomDraft(random, world, params), world.parent);
    const kind = random.below(4);
    const bytes = kind === 0 ? sealed : kind === 1 ? sealed.subarray(0, random.below(sealed.length)) : Buffer.from(mutate(sealed, random));
    codes.add(check(`seed ${seed}`, world, bytes, wrong));
  }
  t.strictSame(wrong, []);
  t.ok(codes.has(0) && codes.size > 4, `codes ${[...codes]}`);
});

t.test('every end of a small block', async (t) => {
  const wrong: string[] = [];
  const random = new Random(7);
  const world = randomWorld(random, 620, 30);
  const sealed = sealDraft(
    { ...randomDraft(random, { ...world, list: world.list.filter(({ coinbase }) => !coinbase) }, params) },
    world.parent,
  );
  const short = sealed.subarray(0, 2_000);
  for (let length = 0; length < short.length; length += rounds(7, 1)) {
    const code = check(`length ${length}`, world, sealed.subarray(0, length), wrong);
    if (code === 0) wrong.push(`length ${length} was accepted`);
  }
  t.strictSame(wrong, []);
});
