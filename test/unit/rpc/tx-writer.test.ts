// Compares TxWriter, which writes bytes, with txMembersSliced, which makes objects of the same members. The results
// must be equal for every script, witness and amount, in each release that has other members.
import t from 'tap';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { txHex, txMembersSliced } from '../../../src/rpc/render/tx.js';
import { TxWriter } from '../../../src/rpc/render/tx-writer.js';
import { JsonBytes } from '../../../src/rpc/wire/json-bytes.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
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

t.test('TxWriter writes what an object with the same members is encoded to', async (t) => {
  for (const name of ['default', '0.21.1', '31'] as const) {
    const compat = COMPATS[name];
    const context = { compat, params, hashes: crypto, descriptors: { params, hashes: crypto, keys, language: compat.descriptors } };
    const writer = new TxWriter(context);
    const property = fc.asyncProperty(
      fc.array(
        fc.record({ prevHash: bytes(32, 32), prevIndex: fc.nat(), scriptSig: script, sequence: fc.nat(), witness: fc.array(bytes(120)) }),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      fc.array(fc.record({ value: amount, script }), { maxLength: 4 }),
      fc.array(fc.record({ value: amount, script, height: fc.nat(), coinbase: fc.boolean() }), { minLength: 4, maxLength: 4 }),
      async (inputs, outputs, more) => {
        const coins = more.slice(0, inputs.length);
        const tx = parseTx(buildTx({ version: 2, inputs, outputs, locktime: 7 }), crypto);
        for (const spent of [null, { coins, shown: false }, { coins, shown: true }]) {
          const out = new JsonBytes();
          writer.writeObject(out, tx, spent);
          const members = await txMembersSliced(tx, context, { due: false, pause: async () => {} }, spent);
          if (out.toString() !== encodeJson({ ...members, hex: txHex(tx) })) return false;
        }
        return true;
      },
    );
    await t.resolves(fc.assert(property, { numRuns: 60 }), name);
  }
});
