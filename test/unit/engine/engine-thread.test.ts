// One thread of the engine on the calling thread, while a test does what the other threads do.
import t from 'tap';
import { loadSha256Update } from '../../../src/crypto/native/sha256-update.js';
import { runEngineThread } from '../../../src/engine/engine-thread.js';
import { compileKernel, createKernel, createMemory } from '../../../src/engine/kernel-module.js';
import { CONTROL, CONTROL_WORDS, FIGURES, type MissingCoins, SLOT, slotLayout, slotOf } from '../../../src/engine/shared-state.js';
import { PREFIX } from '../../../src/storage/layout.js';
import { buildBlock, buildChain, GENESIS, reward, spend } from '../../framework/chain-builder.js';

const OP_TRUE = Buffer.from([0x51]);
const FIRST_HEIGHT = 111;

t.test('asks for the coins of a block that another thread parses while this one looks for work', async (t) => {
  const chain = buildChain(GENESIS, FIRST_HEIGHT - 1);
  const coin = reward(chain[0]);
  const block = buildBlock(chain[chain.length - 1], { txs: [spend([coin], [{ value: coin.value, script: OP_TRUE }])] });
  const module = await compileKernel();
  const layout = slotLayout(1, createKernel(module, createMemory(2, 2)));
  const memory = createMemory(layout.pages, layout.pages);
  const kernel = createKernel(module, memory, loadSha256Update());
  const words = new Int32Array(memory.buffer);
  const bytes = new Uint8Array(memory.buffer);
  const slot = slotOf(layout, FIRST_HEIGHT);
  const wordOf = (name: string): number => (slot + kernel.layout(name)) >> 2;
  bytes.set(block.bytes, slot + kernel.layout('RAW'));
  bytes.set(block.hash, slot + kernel.layout('HASH'));
  words[wordOf('HEIGHT')] = FIRST_HEIGHT;
  words[wordOf('LENGTH')] = block.bytes.length;
  words[wordOf('LOCK_TIME_CUTOFF')] = block.time;
  words[wordOf('FLAGS')] = kernel.layout('WITNESSES');
  words[wordOf('STATE')] = SLOT.parsing;
  const parse = (): void => {
    t.equal(kernel.parse(slot) || kernel.checkHashes(slot, layout.scratchAt) || kernel.emit(slot, 1), 0);
    words[wordOf('LEFT')] = 1;
    words[wordOf('STATE')] = SLOT.parsed;
  };
  const control = new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4));
  const missing: MissingCoins[] = [];
  const { load, wait } = Atomics;
  t.teardown(() => Object.assign(Atomics, { load, wait }));
  let isParsed = false;
  const loadState = (array: Int32Array, index: number): number => {
    const value = load(array, index);
    // The other thread is done right after this thread's first look at the slot.
    if (array.buffer === memory.buffer && index === wordOf('STATE') && !isParsed) {
      isParsed = true;
      parse();
    }
    return value;
  };
  let waits = 0;
  const stop = (): never => {
    waits++;
    throw new Error('nothing to do');
  };
  const nextWait = (): string => (isParsed && (missing.length > 0 || load(control, CONTROL.failCode) !== 0) ? stop() : 'timed-out');
  Object.assign(Atomics, { load: loadState, wait: nextWait });
  const data = {
    ...{ thread: 0, module, memory, layout, control, figures: new Float64Array(new SharedArrayBuffer(FIGURES * 8)) },
    ...{ maxPages: 512, firstHeight: FIRST_HEIGHT, coinPrefix: PREFIX.coin, complete: false, secret: [1n, 2n] as const },
  };
  const port = {
    reply: (message: object): void => void ('missing' in message && missing.push(message as MissingCoins)),
    receive: (): undefined => undefined,
  };
  t.throws(() => runEngineThread(data, port), { message: 'nothing to do' });
  Object.assign(Atomics, { load, wait });
  t.equal(waits, 1);
  t.equal(load(control, CONTROL.failCode), 0);
  t.same(
    missing.map(({ height, missing: outpoints }) => [height, Buffer.from(outpoints).toString('hex')]),
    [[FIRST_HEIGHT, `${coin.txid.toString('hex')}00000000`]],
  );
});
