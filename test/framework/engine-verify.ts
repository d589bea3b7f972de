// Verifies inputs twice: by the interpreter, and by the script checks of the download engine.
import { strict as assert } from 'node:assert';
import type { SighashCache } from '../../src/consensus/script/sighash.js';
import type { SpentOutput } from '../../src/consensus/script/spent-output.js';
import { verifyTxInput } from '../../src/consensus/script/verify-input.js';
import type { TxView } from '../../src/consensus/tx/tx-view.js';
import type { Crypto } from '../../src/crypto/crypto.js';
import { ScriptChecks } from '../../src/engine/script-checks.js';
import { encodeCoin } from '../../src/storage/codec/coin.js';
import { KernelWithoutThreads } from './engine-kernel.js';
import { serializeTx } from './messages.js';

const shared = await KernelWithoutThreads.create(1);
const { kernel, slot } = shared;
/** Number of inputs of each form that the kernel has laid out, by CHECK_ECDSA and CHECK_SCHNORR. */
export const laidOut: Record<number, number> = {};
const counting = {
  ...kernel,
  layOutCheck: (input: number, flags: number): number => {
    const form = kernel.layOutCheck(input, flags);
    laidOut[form] = (laidOut[form] ?? 0) + 1;
    return form;
  },
};
export const CHECK_ECDSA = kernel.layout('CHECK_ECDSA');
export const CHECK_SCHNORR = kernel.layout('CHECK_SCHNORR');

const COINBASE = serializeTx({
  version: 1,
  ins: [{ txid: Buffer.alloc(32), index: 0xffffffff, script: Buffer.from([0x51, 0x51]) }],
  outs: [{ value: 0, script: Buffer.from([0x51]) }],
  locktime: 0,
});
/** Higher than any lock time, as a height and as a time. */
const REACHED = 0xffffffff;

let open: { tx: TxView; spent: readonly SpentOutput[]; crypto: Crypto; checks: ScriptChecks | null } | null = null;

/** Puts a transaction into the slot, and the records of its coins. @returns null if the kernel refuses the transaction */
function openTx(tx: TxView, spent: readonly SpentOutput[], crypto: Crypto): ScriptChecks | null {
  const bytes = Buffer.concat([Buffer.alloc(80), Buffer.from([2]), COINBASE, tx.bytes]);
  if (bytes.length > kernel.layout('RAW_BYTES')) return null;
  shared.bytes.set(bytes, slot + kernel.layout('RAW'));
  shared.setWord('LENGTH', bytes.length);
  shared.setWord('FLAGS', 0);
  shared.setWord('HEIGHT', REACHED);
  shared.setWord('LOCK_TIME_CUTOFF', REACHED);
  if (kernel.parse(slot) !== 0) return null;
  let at = kernel.layout('RESULT');
  for (const [i, { value, script }] of spent.entries()) {
    const coin = encodeCoin({ value, script, height: 1, coinbase: false });
    shared.words[((slot + kernel.layout('WIDS')) >> 2) + 1 + i] = at;
    shared.words[(slot + at) >> 2] = 1 + i;
    shared.words[((slot + at) >> 2) + 1] = coin.length;
    shared.bytes.set(coin, slot + at + 8);
    at = (at + 8 + coin.length + 3) & ~3;
  }
  return new ScriptChecks(counting, crypto, shared.memory.buffer, shared.scratch);
}

/** Returns the interpreter's result, as verifyTxInput does. Throws if the engine's result differs. */
export function verifyBothWays(
  tx: TxView,
  input: number,
  spent: readonly SpentOutput[],
  flags: number,
  crypto: Crypto,
  sighash: SighashCache,
): number {
  const expected = verifyTxInput(tx, input, spent, flags, crypto, sighash);
  if (open?.tx !== tx || open.spent !== spent || open.crypto !== crypto) open = { tx, spent, crypto, checks: openTx(tx, spent, crypto) };
  if (open.checks === null) return expected;
  shared.setWord('SCRIPT_FLAGS', flags);
  const found = open.checks.check(slot, 1 + input, 2 + input);
  assert.equal(found, expected, `input ${input} with flags ${flags.toString(16)} of ${Buffer.from(tx.bytes).toString('hex')}`);
  return expected;
}
