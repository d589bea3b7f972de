// Parsing, ids, sizes and re-encoding of real and constructed transactions; Core's decoded form field by field.

import { fromHex, hashFromHex, hashToHex, toHex } from '../../src/consensus/bytes/hex.js';
import { buildTx } from '../../src/consensus/tx/build-tx.js';
import { parseTxLenient } from '../../src/consensus/tx/parse-lenient.js';
import { parseTx, type TxView } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { fileSuite, filesSuite, readJson, readVector, tally } from '../framework/vector-suite.js';

const crypto = createNativeCrypto();

/** Takes a view apart and builds it again. */
function rebuild(tx: TxView): string {
  const inputs = Array.from({ length: tx.inputCount }, (_, i) => ({
    prevHash: tx.prevHash(i),
    prevIndex: tx.prevIndex(i),
    scriptSig: tx.scriptSig(i),
    sequence: tx.sequence(i),
    witness: tx.witness(i),
  }));
  const outputs = Array.from({ length: tx.outputCount }, (_, i) => ({ value: tx.outputValueBig(i), script: tx.outputScript(i) }));
  return toHex(buildTx({ version: tx.version, inputs, outputs, locktime: tx.locktime }));
}

interface FieldsRow {
  description: string;
  id: string;
  hash: string;
  hex: string;
  whex?: string;
  weight: number;
  virtualSize: number;
  coinbase: boolean;
  raw: {
    version: number;
    locktime: number;
    ins: { hash: string; index: number; sequence?: number | null; witness?: string[] }[];
    outs: { value: number; scriptHex?: string }[];
  };
}

fileSuite('transaction/tx_fields.json', (t) => {
  for (const row of readJson<FieldsRow[]>('transaction/tx_fields.json')) {
    t.test(row.description, async (t) => {
      const tx = parseTx(fromHex(row.whex || row.hex), crypto, { exact: true });
      t.equal(hashToHex(tx.txid), row.id);
      t.equal(toHex(tx.txid), row.hash);
      t.equal(tx.weight, row.weight);
      t.equal(tx.vsize, row.virtualSize);
      t.equal(tx.isCoinbase, row.coinbase);
      t.equal(tx.hasWitness, Boolean(row.whex));
      if (row.hex) t.equal(toHex(tx.stripped()), row.hex);
      t.equal(toHex(tx.bytes), row.whex || row.hex);
      t.equal(rebuild(tx), row.whex || row.hex);
      t.equal(tx.version, row.raw.version);
      t.equal(tx.locktime, row.raw.locktime);
      t.equal(tx.inputCount, row.raw.ins.length);
      row.raw.ins.forEach((input, i) => {
        t.equal(toHex(tx.prevHash(i)), input.hash);
        t.equal(tx.prevIndex(i), input.index);
        if (typeof input.sequence === 'number') t.equal(tx.sequence(i), input.sequence);
        t.same(tx.witness(i).map(toHex), input.witness ?? []);
      });
      t.equal(tx.outputCount, row.raw.outs.length);
      row.raw.outs.forEach((output, i) => {
        t.equal(tx.outputValue(i), output.value);
        t.equal(tx.outputValueBig(i), BigInt(output.value));
        if (output.scriptHex !== undefined) t.equal(toHex(tx.outputScript(i)), output.scriptHex);
      });
    });
  }
});

interface DecodedRow {
  hex: string;
  decoded: {
    txid: string;
    hash: string;
    version: number;
    size: number;
    vsize: number;
    weight: number;
    locktime: number;
    vin: { txid?: string; vout?: number; scriptSig?: { hex: string }; txinwitness?: string[]; sequence: number }[];
    vout: { value: number; n: number; scriptPubKey: { hex: string } }[];
  };
}

fileSuite('transaction/tx_decode_core_json.json', (t) => {
  for (const { hex, decoded } of readJson<DecodedRow[]>('transaction/tx_decode_core_json.json')) {
    // Several have no inputs, which only the attempt at the legacy format reads right.
    const tx = parseTxLenient(fromHex(hex), crypto);
    t.equal(hashToHex(tx.txid), decoded.txid, decoded.txid);
    t.equal(hashToHex(tx.wtxid), decoded.hash);
    t.equal(tx.version, decoded.version | 0);
    t.equal(tx.totalSize, decoded.size);
    t.equal(tx.vsize, decoded.vsize);
    t.equal(tx.weight, decoded.weight);
    t.equal(tx.locktime, decoded.locktime);
    t.equal(tx.inputCount, decoded.vin.length);
    decoded.vin.forEach((input, i) => {
      if (input.txid !== undefined) t.equal(toHex(tx.prevHash(i)), toHex(hashFromHex(input.txid)));
      if (input.vout !== undefined) t.equal(tx.prevIndex(i), input.vout);
      if (input.scriptSig !== undefined) t.equal(toHex(tx.scriptSig(i)), input.scriptSig.hex);
      t.same(tx.witness(i).map(toHex), input.txinwitness ?? []);
      t.equal(tx.sequence(i), input.sequence);
    });
    t.equal(tx.outputCount, decoded.vout.length);
    decoded.vout.forEach((output, i) => {
      t.equal(tx.outputValue(i), Math.round(output.value * 1e8));
      t.equal(toHex(tx.outputScript(i)), output.scriptPubKey.hex);
    });
  }
});

fileSuite('transaction/real_tx.json', (t) => {
  for (const row of readJson<{ name: string; tx: string; txid: string }[]>('transaction/real_tx.json')) {
    const tx = parseTx(fromHex(row.tx), crypto, { exact: true });
    t.equal(hashToHex(tx.txid), row.txid, row.name);
    t.equal(rebuild(tx), row.tx);
  }
});

fileSuite('sighash/legacy_sighash.json', (t) => {
  const rows = readJson<[string, string, number, number, string][]>('sighash/legacy_sighash.json');
  const failures: string[] = [];
  let count = 0;
  for (const [hex] of rows) {
    // Random fields: negative values, huge versions. The first row of Core's file describes the columns.
    if (!/^[0-9a-f]{20,}$/.test(hex)) continue;
    count++;
    if (rebuild(parseTx(fromHex(hex), crypto, { exact: true })) !== hex) failures.push(hex.slice(0, 40));
  }
  tally(t, 're-encoding random transactions', failures, count);
});

filesSuite('transaction/large', /./, 'a large transaction', (t, name) => {
  // many_inputs, taken from btcd's benchmark data, is a transaction of Decred's format (each input has a tree byte,
  // each output a script version, witnesses carry values): it begins like one of ours and does not end like one.
  // Refusing it is the right answer.
  const bytes = fromHex(readVector(`transaction/large/${name}`).toString('utf8').trim());
  if (name === 'many_inputs.hex') {
    t.throws(() => parseTx(bytes, crypto, { exact: true }), { name: 'DecodeError' }, name);
    t.throws(() => parseTxLenient(bytes, crypto), { name: 'DecodeError' });
    return;
  }
  const tx = parseTx(bytes, crypto, { exact: true });
  t.equal(rebuild(tx), toHex(bytes), `${name}: ${tx.inputCount} inputs`);
});
