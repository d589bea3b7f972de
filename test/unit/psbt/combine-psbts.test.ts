// The combiner of version 2: PSBTs that differ in sequences are of one transaction (BIP-0370, unique identification).
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { combinePsbts } from '../../../src/psbt/combine-psbts.js';
import { createPsbt, type PsbtVersion } from '../../../src/psbt/create-psbt.js';
import { encodePsbt } from '../../../src/psbt/encode-psbt.js';
import { extractTx } from '../../../src/psbt/extract-tx.js';
import type { Psbt } from '../../../src/psbt/psbt.js';
import { readPsbt } from '../../../src/psbt/read-psbt.js';

const crypto = createNativeCrypto();
const FINAL = 0xffff_ffff;

/** A PSBT of one transaction of two inputs with these sequences. @param absent leaves out the fields of final sequences */
function psbtOf(sequences: readonly [number, number], version: PsbtVersion, absent = false): Psbt {
  const inputs = sequences.map((sequence, i) => ({
    prevHash: new Uint8Array(32).fill(7),
    prevIndex: i,
    scriptSig: new Uint8Array(0),
    sequence,
  }));
  const tx = parseTx(buildTx({ version: 2, inputs, outputs: [{ value: 5, script: Uint8Array.of(0x51) }], locktime: 9 }), crypto);
  const psbt = createPsbt(tx, crypto, version);
  if (absent) for (const input of psbt.inputs) if (input.sequence === FINAL) input.sequence = null;
  // Through bytes, as clients bring it.
  return readPsbt(encodePsbt(psbt, crypto), crypto);
}

const sequencesOf = ({ tx }: Psbt): number[] => [tx.sequence(0), tx.sequence(1)];

t.test('keeps the sequences of the first PSBT and takes those that it lacks from the others', async (t) => {
  const lacking = (): Psbt => psbtOf([FINAL, FINAL], 2, true);
  const combined = combinePsbts([lacking(), psbtOf([0xffff_fffd, 5], 2), psbtOf([1, 2], 2)], crypto);
  t.same(sequencesOf(combined!), [0xffff_fffd, 5]);
  t.same(sequencesOf(readPsbt(encodePsbt(combined!, crypto), crypto)), [0xffff_fffd, 5], 'in the fields as well');
  t.same(
    sequencesOf({ ...combined!, tx: parseTx(extractTx(combined!), crypto) }),
    [0xffff_fffd, 5],
    'in the transaction that is extracted',
  );
  t.same(sequencesOf(combinePsbts([psbtOf([FINAL, 3], 2), psbtOf([0, 4], 2)], crypto)!), [FINAL, 3]);
  t.same(sequencesOf(combinePsbts([psbtOf([7, FINAL], 2, true), lacking()], crypto)!), [7, FINAL]);
});

t.test('refuses PSBTs that differ in sequences in version 0, in other fields, or in their version', async (t) => {
  t.equal(combinePsbts([psbtOf([FINAL, FINAL], 0), psbtOf([0, FINAL], 0)], crypto), null);
  t.equal(combinePsbts([psbtOf([1, 2], 0), psbtOf([1, 2], 2)], crypto), null);
  t.equal(combinePsbts([psbtOf([0, 0], 2), psbtOf([0, 0], 0)], crypto), null);
  const later = psbtOf([1, 2], 2);
  later.inputs[0].requiredHeight = 10;
  t.equal(combinePsbts([psbtOf([1, 2], 2), readPsbt(encodePsbt(later, crypto), crypto)], crypto), null, 'another lock time');
});
