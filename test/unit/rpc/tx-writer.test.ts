// Compares TxWriter, which writes bytes, with a model that makes objects of the same members. The results must be equal for every script, witness and amount, in each release that has other members.
import t from 'tap';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { scriptAsm } from '../../../src/policy/script-asm.js';
import { bytesHex, hashHex } from '../../../src/rpc/render/hex.js';
import { type RenderContext, scriptMembers } from '../../../src/rpc/render/script.js';
import { headMembers, type SpentOutputs, TxWriter, txHex } from '../../../src/rpc/render/tx-writer.js';
import { JsonBytes } from '../../../src/rpc/wire/json-bytes.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { Amount, type JsonResult } from '../../../src/rpc/wire/values.js';
import { crypto } from '../../framework/chain-fixture.js';
import { fc } from '../../framework/fast-check.js';

const params = chainParams('regtest');
const keys = createKeyMath();
const bytes = (most: number, least = 0) => fc.uint8Array({ minLength: least, maxLength: most });
const push = (data: Uint8Array): Uint8Array => Uint8Array.of(data.length, ...data);
const script = fc.oneof(
  bytes(40),
  bytes(200, 60),
  bytes(20, 20).map((hash) => Uint8Array.of(0x76, 0xa9, ...push(hash), 0x88, 0xac)),
  bytes(20, 20).map((hash) => Uint8Array.of(0xa9, ...push(hash), 0x87)),
  bytes(20, 20).map((hash) => Uint8Array.of(0, ...push(hash))),
  bytes(32, 32).map((hash) => Uint8Array.of(0, ...push(hash))),
  bytes(32, 32).map((key) => Uint8Array.of(0x51, ...push(key))),
  bytes(70).map((data) => Uint8Array.of(0x6a, ...push(data))),
);
const amount = fc.oneof(fc.nat({ max: 2_100_000_000 }), fc.constantFrom(0, 1, 99_999_999, 2_100_000_000_000_000));

/** Returns the members of a transaction as objects. Amounts of the tests are exact as numbers. */
function membersOf(tx: TxView, ctx: RenderContext, spent: SpentOutputs | null, isChange = (_: Uint8Array) => false): JsonResult {
  const vin = Array.from({ length: tx.inputCount }, (_, i) => {
    const { coinbase: generated, height, value, script } = spent?.coins[i] ?? { coinbase: false, height: 0, value: 0, script: bare };
    const prevout = { generated, height, value: new Amount(value), scriptPubKey: scriptMembers(script, ctx, true) };
    const asm = scriptAsm(tx.scriptSig(i), { sighashDecode: true });
    return {
      ...(tx.isCoinbase
        ? { coinbase: bytesHex(tx.scriptSig(i)) }
        : { txid: hashHex(tx.prevHash(i)), vout: tx.prevIndex(i), scriptSig: { asm, hex: bytesHex(tx.scriptSig(i)) } }),
      ...(tx.witnessCount(i) > 0 && { txinwitness: tx.witness(i).map(bytesHex) }),
      ...(spent?.shown && { prevout }),
      sequence: tx.sequence(i),
    };
  });
  const vout = Array.from({ length: tx.outputCount }, (_, n) => {
    const script = tx.outputScript(n);
    const shown = { value: new Amount(tx.outputValue(n)), n, scriptPubKey: scriptMembers(script, ctx, true) };
    return isChange(script) ? { ...shown, ischange: true } : shown;
  });
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const paid = sum(Array.from({ length: tx.outputCount }, (_, n) => tx.outputValue(n)));
  return { ...headMembers(tx), vin, vout, ...(spent && { fee: new Amount(sum(spent.coins.map(({ value }) => value)) - paid) }) };
}

const bare = new Uint8Array(0);

t.test('TxWriter writes what an object with the same members is encoded to', async (t) => {
  for (const name of ['default', '0.21.1', '31'] as const) {
    const compat = COMPATS[name];
    const context = { compat, params, hashes: crypto, descriptors: { params, hashes: crypto, keys, language: compat.descriptors } };
    const writer = new TxWriter(context);
    const property = fc.property(
      fc.array(
        fc.record({ prevHash: bytes(32, 32), prevIndex: fc.nat(), scriptSig: script, sequence: fc.nat(), witness: fc.array(bytes(120)) }),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      fc.array(fc.record({ value: amount, script }), { maxLength: 4 }),
      fc.array(fc.record({ value: amount, script, height: fc.nat(), coinbase: fc.boolean() }), { minLength: 4, maxLength: 4 }),
      (inputs, outputs, more) => {
        const coins = more.slice(0, inputs.length);
        const tx = parseTx(buildTx({ version: 2, inputs, outputs, locktime: 7 }), crypto);
        for (const spent of [null, { coins, shown: false }, { coins, shown: true }]) {
          const out = new JsonBytes();
          writer.writeObject(out, tx, spent);
          const members = membersOf(tx, context, spent) as object;
          if (out.toString() !== encodeJson({ ...members, hex: txHex(tx) })) return false;
        }
        const isChange = (script: Uint8Array): boolean => script.length % 2 === 0;
        if (writer.text(tx, isChange) !== encodeJson(membersOf(tx, context, null, isChange))) return false;
        return true;
      },
    );
    t.doesNotThrow(() => fc.assert(property, { numRuns: 60 }), name);
  }
});
