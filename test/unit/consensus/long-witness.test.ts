// Tests inputs with very many witness items: queries about them must not make a view of each item.
import t from 'tap';
import { checkCommitment } from '../../../src/consensus/rules/contextual-check-block.js';
import { ScriptError } from '../../../src/consensus/script/script-error.js';
import { SighashCache } from '../../../src/consensus/script/sighash.js';
import { sigopCost } from '../../../src/consensus/script/sigops.js';
import { verifyTxInput } from '../../../src/consensus/script/verify-input.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { LongWitness, MOST_WITNESS_VIEWS } from '../../../src/consensus/tx/witness-stack.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { witnessIsStandard } from '../../../src/policy/standard-inputs.js';
import { fc } from '../../framework/fast-check.js';
import { compactSize, serializeTx, sha256 } from '../../framework/messages.js';
import { CONSENSUS } from '../parallel/verifier-suite.js';

const crypto = createNativeCrypto();
const FLAGS = CONSENSUS;

const withWitness = (witness: readonly Uint8Array[]): TxView =>
  parseTx(
    new Uint8Array(
      serializeTx({
        version: 2,
        ins: [{ txid: Buffer.alloc(32, 1), index: 0, sequence: 0, witness: witness.map((item) => Buffer.from(item)) }],
        outs: [{ value: 1, script: Buffer.of(0x51) }],
        locktime: 0,
      }),
    ),
    crypto,
    { exact: true },
  );

/** Returns the transaction with a method that fails if a view of each item is made. */
function counted(tx: TxView): TxView {
  tx.witness = () => {
    throw new Error('a view of every item');
  };
  return tx;
}

const many = (...last: Uint8Array[]): Uint8Array[] => [...Array.from({ length: 5_000 }, () => Buffer.alloc(0)), ...last];
const scriptHash = (script: Uint8Array): Buffer => Buffer.concat([Buffer.of(0, 32), sha256(script)]);

t.test('returns the items of a long witness stack from its bytes as a list does', async (t) => {
  const items = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });
  const place = fc.option(fc.integer({ min: -25, max: 25 }), { nil: undefined });
  fc.assert(
    fc.property(items, place, place, (list, from, to) => {
      const bytes = Buffer.concat([Buffer.of(9), compactSize(list.length), ...list.flatMap((item) => [compactSize(item.length), item])]);
      const stack = new LongWitness(bytes, 1, bytes.length);
      t.equal(stack.length, list.length);
      const plain = (views: readonly Uint8Array[]): string => views.map((view) => Buffer.from(view).toString('hex')).join();
      if (plain(stack.slice(from, to)) !== plain(list.slice(from, to))) return false;
      const [own, other] = [stack.at(from ?? 0), list.at(from ?? 0)];
      return (own === undefined) === (other === undefined) && plain(own ? [own] : []) === plain(other ? [other] : []);
    }),
  );
  t.equal(withWitness(many()).witnessStack(0).constructor, LongWitness);
  t.ok(Array.isArray(withWitness(Array.from({ length: MOST_WITNESS_VIEWS }, () => Buffer.of(1))).witnessStack(0)));
});

t.test('rejects a coinbase with a long witness', async (t) => {
  const verdict = checkCommitment(counted(withWitness(many())), 0, () => t.fail('the root is not asked for') as never, crypto);
  t.equal(verdict?.reason, 'bad-witness-nonce-size');
});

t.test('checks standardness and sigop cost of a long witness without a view of each item', async (t) => {
  const script = Buffer.of(0xac, 0xac);
  const value = 1;
  t.equal(witnessIsStandard(counted(withWitness(many(script))), [{ value, script: scriptHash(script) }]), false);
  const taproot = Buffer.concat([Buffer.of(0x51, 32), Buffer.alloc(32, 2)]);
  const control = Buffer.alloc(33, 0xc0);
  t.equal(witnessIsStandard(counted(withWitness(many(script, control))), [{ value, script: taproot }]), true, 'items are small');
  const large = many(script, control);
  large[7] = Buffer.alloc(81);
  t.equal(witnessIsStandard(counted(withWitness(large)), [{ value, script: taproot }]), false);
  t.equal(
    witnessIsStandard(counted(withWitness(many(Buffer.alloc(100), control))), [{ value, script: taproot }]),
    true,
    'but for the script',
  );
  t.equal(sigopCost(counted(withWitness(many(script))), [{ script: scriptHash(script) }], FLAGS), 2);
});

t.test('verifies scripts with a long witness without a view of each item', async (t) => {
  const verify = (witness: readonly Uint8Array[], script: Uint8Array): number => {
    const tx = counted(withWitness(witness));
    const spent = [{ value: 1, script: new Uint8Array(script) }];
    return verifyTxInput(tx, 0, spent, FLAGS, crypto, new SighashCache(tx, crypto, spent));
  };
  t.equal(verify(many(), Buffer.concat([Buffer.of(0x52, 32), Buffer.alloc(32, 1)])), ScriptError.OK, 'a version without a meaning');
  t.equal(verify(many(), Buffer.concat([Buffer.of(0, 20), Buffer.alloc(20, 1)])), ScriptError.WITNESS_PROGRAM_MISMATCH);
  const [nop, drop, back] = [Buffer.of(0x61), Buffer.of(0x6d), Buffer.of(0x6a)];
  for (const [script, error] of [
    [nop, ScriptError.STACK_SIZE],
    [drop, ScriptError.STACK_SIZE],
    [back, ScriptError.OP_RETURN],
    [Buffer.alloc(0), ScriptError.CLEANSTACK],
  ] as const) {
    t.equal(verify(many(script), scriptHash(script)), error);
  }
  t.equal(verify(many(nop), scriptHash(drop)), ScriptError.WITNESS_PROGRAM_MISMATCH);
});
