// Tests views of transactions: both formats, unusual shapes, truncation, and serialising again.

import t from 'tap';
import { equalBytes, fromHex, hashToHex, toHex } from '../../../src/consensus/bytes/hex.js';
import { DecodeError } from '../../../src/consensus/bytes/reader.js';
import { buildTx, type TxFields } from '../../../src/consensus/tx/build-tx.js';
import { parseTxLenient } from '../../../src/consensus/tx/parse-lenient.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { fc } from '../../framework/fast-check.js';

const hashes = createPureHashes();
fc.configureGlobal({ seed: 20240815, numRuns: 300 });

// One input with two witness items and one output. The sizes were counted by hand.
const EXTENDED =
  '02000000' +
  '0001' +
  '01' +
  '11'.repeat(32) +
  '05000000' +
  '02aabb' +
  'fdffffff' +
  '01' +
  'e803000000000000' +
  '0151' +
  '0201cc02ddee' +
  '2a000000';
const LEGACY = `0200000001${'11'.repeat(32)}0500000002aabbfdffffff01e80300000000000001512a000000`;

t.test('returns the fields of a transaction in the extended format', async (t) => {
  const tx = parseTx(fromHex(EXTENDED), hashes, { exact: true });
  t.equal(tx.version, 2);
  t.equal(tx.inputCount, 1);
  t.equal(toHex(tx.outpoint(0)), `${'11'.repeat(32)}05000000`);
  t.equal(tx.prevIndex(0), 5);
  t.equal(toHex(tx.scriptSig(0)), 'aabb');
  t.equal(tx.sequence(0), 0xfffffffd);
  t.same(tx.witness(0).map(toHex), ['cc', 'ddee']);
  t.equal(tx.witnessCount(0), 2);
  t.equal(tx.outputCount, 1);
  t.equal(tx.outputValue(0), 1000);
  t.equal(tx.outputValueBig(0), 1000n);
  t.equal(toHex(tx.outputScript(0)), '51');
  t.equal(toHex(tx.outputBytes(0)), 'e8030000000000000151');
  t.equal(toHex(tx.outputsSerialized), 'e8030000000000000151');
  t.equal(tx.locktime, 42);
  t.ok(tx.hasWitness);
  t.notOk(tx.isCoinbase);
  t.equal(tx.totalSize, 71);
  t.equal(tx.strippedSize, 63);
  t.equal(tx.weight, 260);
  t.equal(tx.vsize, 65);
  t.equal(toHex(tx.stripped()), LEGACY);
  t.equal(toHex(tx.bytes), EXTENDED);
  t.equal(toHex(tx.txid), toHex(hashes.sha256d(fromHex(LEGACY))));
  t.equal(toHex(tx.wtxid), toHex(hashes.sha256d(fromHex(EXTENDED))));
  t.equal(tx.txid, tx.txid, 'the id is cached');
});

t.test('returns the fields of a transaction in the legacy format', async (t) => {
  const tx = parseTx(fromHex(LEGACY), hashes, { exact: true });
  t.notOk(tx.hasWitness);
  t.same(tx.witness(0), []);
  t.equal(tx.witnessCount(0), 0);
  t.equal(tx.txid, tx.wtxid);
  t.equal(tx.totalSize, tx.strippedSize);
  t.equal(tx.vsize, 63);
});

t.test('parses a transaction inside a larger buffer without copying', async (t) => {
  const bytes = fromHex(`ffff${EXTENDED}ffff`);
  const tx = parseTx(bytes, hashes, { offset: 2 });
  t.equal(toHex(tx.bytes), EXTENDED);
  t.equal(tx.end, bytes.length - 2);
  t.equal(tx.scriptSig(0).buffer, bytes.buffer, 'no copy');
  t.throws(() => parseTx(bytes, hashes, { offset: 2, exact: true }), DecodeError);
});

t.test('accepts empty lists, and rejects superfluous witnesses and impossible counts', async (t) => {
  const refuse = (hex: string, message: RegExp) =>
    t.throws(() => parseTx(fromHex(hex), hashes, { exact: true }), { name: 'DecodeError', message }, hex);
  const empty = parseTx(fromHex('01000000000000000000'), hashes, { exact: true });
  t.same([empty.inputCount, empty.outputCount, empty.hasWitness, empty.outputsSerialized.length], [0, 0, false, 0]);
  t.equal(toHex(empty.stripped()), '01000000000000000000');
  refuse('010000000001000000000000', /Superfluous witness record/);
  refuse(EXTENDED.replace('0201cc02ddee', '00'), /Superfluous witness record/);
  refuse(EXTENDED.replace('020000000001', '020000000003'), /Unknown transaction optional data/);
  refuse('0100000000020000' + '00000000', /Unknown transaction optional data/);
  // 60 bytes that claim 2^32 inputs or outputs.
  refuse(`01000000ff0000000001000000${'00'.repeat(47)}`, /too large/);
  refuse(`01000000fe00000002${'00'.repeat(51)}`, /end of data/);
  refuse(`0100000001${'11'.repeat(36)}00fffffffffe00000001${'00'.repeat(9)}`, /end of data/);
  refuse(`0100000001${'11'.repeat(36)}fe00000002${'00'.repeat(60)}`, /end of data/);
  refuse(EXTENDED.replace('0201cc02ddee', 'feffffff0001cc02ddee'), /end of data/);
  refuse(EXTENDED.replace('0201cc02ddee', 'feffffff0201cc02ddee'), /too large/);
  // In the legacy format the count of inputs is zero here, which a parser of the extended format takes for the marker.
  const noInputs = '01000000' + '00' + '01' + '0100000000000000' + '0151' + '00000000';
  refuse(noInputs, /./);
  const legacy = parseTx(fromHex(noInputs), hashes, { allowWitness: false, exact: true });
  t.same([legacy.inputCount, legacy.outputCount, legacy.outputValue(0)], [0, 1, 1]);
});

t.test('rejects a transaction that is truncated at any byte', async (t) => {
  for (const hex of [EXTENDED, LEGACY]) {
    for (let cut = 0; cut < hex.length; cut += 2) {
      t.throws(() => parseTx(fromHex(hex.slice(0, cut)), hashes, { exact: true }), DecodeError, `${cut / 2} bytes`);
    }
  }
});

t.test('recognises coinbases, and reads extreme values', async (t) => {
  const input = { prevHash: new Uint8Array(32), prevIndex: 0xffffffff, scriptSig: Uint8Array.of(1, 2), sequence: 0 };
  const outputs = [-1n, 2n ** 63n - 1n, -(2n ** 63n), 2100000000000000n].map((value) => ({ value, script: new Uint8Array(0) }));
  const tx = parseTx(buildTx({ version: -1, inputs: [input], outputs, locktime: 0xffffffff }), hashes);
  t.ok(tx.isCoinbase);
  t.ok(tx.isNullOutpoint(0));
  t.equal(tx.version, -1);
  t.equal(tx.locktime, 0xffffffff);
  t.same(
    outputs.map((_, i) => tx.outputValueBig(i)),
    outputs.map((output) => output.value),
  );
  t.equal(tx.outputValue(0), -1);
  t.ok(tx.outputValue(1) > 21e14);
  t.ok(tx.outputValue(2) < 0);
  t.equal(tx.outputValue(3), 21e14);
  const almost = parseTx(buildTx({ version: 1, inputs: [{ ...input, prevIndex: 0xfffffffe }], outputs, locktime: 0 }), hashes);
  t.notOk(almost.isCoinbase);
  const two = parseTx(buildTx({ version: 1, inputs: [input, input], outputs, locktime: 0 }), hashes);
  t.notOk(two.isCoinbase);
  t.equal(
    toHex(buildTx({ version: 1, inputs: [], outputs: [{ value: -1, script: new Uint8Array(0) }], locktime: 0 })).slice(12, 28),
    'f'.repeat(16),
  );
});

t.test('computes the txid of the first payment on main', async (t) => {
  // The first payment on mainnet, in block 170.
  const tx = parseTx(
    fromHex(
      '0100000001c997a5e56e104102fa209c6a852dd90660a20b2d9c352423edce25857fcd3704000000004847304402204e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd410220181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d0901ffffffff0200ca9a3b00000000434104ae1a62fe09c5f51b13905f07f06b99a2f7159b2225f374cd378d71302fa28414e7aab37397f554a7df5f142c21c1b7303b8a0626f1baded5c72a704f7e6cd84cac00286bee0000000043410411db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5cb2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3ac00000000',
    ),
    hashes,
    { exact: true },
  );
  t.equal(hashToHex(tx.txid), 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16');
});

t.test('parses a transaction leniently in either format, unless the caller excludes one', async (t) => {
  const noInputs = '01000000' + '00' + '01' + '0100000000000000' + '0151' + '00000000';
  t.equal(parseTxLenient(fromHex(noInputs), hashes).outputCount, 1);
  t.throws(() => parseTxLenient(fromHex(noInputs), hashes, { tryNoWitness: false }), DecodeError);
  t.ok(parseTxLenient(fromHex(EXTENDED), hashes).hasWitness);
  // The scripts of EXTENDED are invalid (a push of 0xaa bytes, of which none follow), but its bytes cannot be parsed in another way.
  t.throws(() => parseTxLenient(fromHex(EXTENDED), hashes, { tryWitness: false }), DecodeError);
  t.throws(() => parseTxLenient(fromHex(`${LEGACY}00`), hashes), DecodeError, 'bytes left over');
  t.throws(() => parseTxLenient(new Uint8Array(0), hashes), DecodeError);
  // The bytes are valid in both formats. Legacy: no input, one output with a good script. Extended: one input whose
  // script 4c is a push without a length. The reading with valid scripts wins, unless only the other one is allowed.
  const both = `01000000000101${'00'.repeat(7)}26${'51'.repeat(28)}014c${'51'.repeat(4)}0001015100000000`;
  const shape = (opts: object) => {
    const tx = parseTxLenient(fromHex(both), hashes, opts);
    return [tx.inputCount, tx.outputCount, tx.hasWitness];
  };
  t.same(shape({}), [0, 1, false]);
  t.same(shape({ tryNoWitness: false }), [1, 0, true]);
  // If the scripts of neither reading are valid, the extended one wins.
  const neither = both.replace('010151' + '00000000', '0101ff' + '00000000');
  t.equal(parseTxLenient(fromHex(neither), hashes).hasWitness, true);
});

t.test('prefers the reading of an ambiguous transaction whose scripts are sane', async (t) => {
  /**
   * Returns bytes that are valid in both formats. Extended: one input, whose script is `head` and then `ones` times
   * OP_1; this reading wins if its script is valid. Legacy: no input, and one output whose script is the rest, with a
   * push that covers the head.
   */
  const reading = (head: string, ones = 0): string => {
    const inputScript = [...fromHex(head), ...new Array<number>(ones).fill(0x51)];
    const sized = (size: number): number[] => (size < 253 ? [size] : [253, size & 255, size >> 8]);
    // The script with its size, the sequence, no outputs, a witness of one byte.
    const tail = [...sized(inputScript.length), ...inputScript, 0x51, 0x51, 0x51, 0x51, 0, 1, 1, 0x51];
    const push = sized(inputScript.length).length + head.length / 2;
    const before = tail.length + 28 < 253 ? 28 : 26;
    const bytes = [1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, ...sized(before + tail.length)];
    bytes.push(...new Array<number>(before - 1).fill(0x51), push, ...tail, 0, 0, 0, 0);
    return parseTxLenient(Uint8Array.from(bytes), hashes).hasWitness ? 'extended' : 'legacy';
  };
  for (const [head, ones] of [
    ['b9', 0],
    ['4f', 0],
    ['4c00', 0],
    ['4d0000', 0],
    ['4e00000000', 0],
    ['4c01', 1],
    ['4cff', 255],
    ['4d0100', 1],
    ['4d0801', 264],
    ['4e01000000', 1],
    ['4d0802', 520],
    ['4e08020000', 520],
  ] as const) {
    t.equal(reading(head, ones), 'extended', `${head} ${ones}`);
    if (ones > 0) t.equal(reading(head, ones - 1), 'legacy', `${head} ${ones}, one too few`);
  }
  for (const head of ['ba', 'ff', '4c', '4d01', '4e010000']) t.equal(reading(head), 'legacy', head);
  t.same([reading('4d0902', 521), reading('4e09020000', 521)], ['legacy', 'legacy'], 'more than an element may have');
  // In the legacy reading the script may have 10,000 bytes.
  t.same([reading('ba', 9_962), reading('ba', 9_963)], ['legacy', 'extended']);
});

const script = fc.uint8Array({ maxLength: 60 });
const txFields: fc.Arbitrary<TxFields> = fc.record({
  version: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  inputs: fc.array(
    fc.record({
      prevHash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
      prevIndex: fc.nat({ max: 0xffffffff }),
      scriptSig: script,
      sequence: fc.nat({ max: 0xffffffff }),
      witness: fc.array(script, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  outputs: fc.array(fc.record({ value: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), script }), { maxLength: 5 }),
  locktime: fc.nat({ max: 0xffffffff }),
});

t.test('parses every transaction that it builds', async (t) => {
  fc.assert(
    fc.property(txFields, (fields) => {
      const bytes = buildTx(fields);
      const tx = parseTx(bytes, hashes, { exact: true });
      const hasWitness = fields.inputs.some((input) => input.witness && input.witness.length > 0);
      return (
        equalBytes(tx.bytes, bytes) &&
        tx.hasWitness === hasWitness &&
        tx.version === fields.version &&
        tx.locktime === fields.locktime &&
        tx.inputCount === fields.inputs.length &&
        tx.outputCount === fields.outputs.length &&
        fields.inputs.every(
          (input, i) =>
            equalBytes(tx.prevHash(i), input.prevHash) &&
            tx.prevIndex(i) === input.prevIndex &&
            equalBytes(tx.scriptSig(i), input.scriptSig) &&
            tx.sequence(i) === input.sequence &&
            tx.witness(i).length === (input.witness?.length ?? 0) &&
            tx.witness(i).every((item, k) => input.witness !== undefined && equalBytes(item, input.witness[k])),
        ) &&
        fields.outputs.every((output, i) => tx.outputValueBig(i) === output.value && equalBytes(tx.outputScript(i), output.script)) &&
        equalBytes(tx.stripped(), buildTx({ ...fields, inputs: fields.inputs.map((input) => ({ ...input, witness: [] })) })) &&
        tx.strippedSize === tx.stripped().length
      );
    }),
  );
  t.pass('300 transactions');
});
