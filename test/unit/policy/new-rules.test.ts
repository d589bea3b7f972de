// The rules of newer releases where they say something else than 0.21.1: looks of a transaction, dust, fees of a size.
import t from 'tap';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { dustOutputs, dustThreshold } from '../../../src/policy/dust.js';
import { feeForSize } from '../../../src/policy/fee-rate.js';
import { DEFAULT_POLICY, NEW_RULES, type PolicyOptions } from '../../../src/policy/options.js';
import { solve } from '../../../src/policy/script-type.js';
import { inputsFault, witnessIsStandard } from '../../../src/policy/standard-inputs.js';
import { checkStandardTx } from '../../../src/policy/standard-tx.js';

const hashes = createPureHashes();
const policy: PolicyOptions = { ...DEFAULT_POLICY, ...NEW_RULES, dataCarrierBytes: 100 };
const key = Uint8Array.of(0, 20, ...new Uint8Array(20).fill(7));
const anchor = Uint8Array.of(0x51, 2, 0x4e, 0x73);
const data = (bytes: number): Uint8Array => Uint8Array.of(0x6a, bytes, ...new Uint8Array(bytes));

function tx(outputs: readonly (readonly [number, Uint8Array])[], more: { version?: number; witness?: Uint8Array[] } = {}): TxView {
  const bytes = buildTx({
    version: more.version ?? 2,
    inputs: [
      { prevHash: new Uint8Array(32).fill(3), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 5, witness: more.witness ?? [] },
    ],
    outputs: outputs.map(([value, script]) => ({ value, script })),
    locktime: 0,
  });
  return parseTx(bytes, hashes);
}
const reason = (of: TxView, rules = policy): string | undefined => checkStandardTx(of, rules)?.reason;

t.test('checkStandardTx applies the version, data and dust rules of newer releases', async (t) => {
  t.equal(reason(tx([[1000, key]], { version: 3 })), undefined);
  t.equal(reason(tx([[1000, key]], { version: 3 }), DEFAULT_POLICY), 'version');
  t.equal(reason(tx([[1000, key]], { version: 4 })), 'version');
  // 50 + 50 bytes of script, then one byte more.
  t.equal(
    reason(
      tx([
        [0, data(48)],
        [0, data(48)],
      ]),
    ),
    undefined,
  );
  t.equal(
    reason(
      tx([
        [0, data(48)],
        [0, data(49)],
      ]),
    ),
    'datacarrier',
  );
  t.equal(reason(tx([[0, data(0)]]), { ...policy, dataCarrier: false }), 'datacarrier', 'an empty one too');
  t.equal(reason(tx([[293, key]])), undefined, 'one output of dust is checked later');
  t.equal(
    reason(
      tx([
        [293, key],
        [0, anchor],
        [9, Uint8Array.of(0x51)],
      ]),
    ),
    'scriptpubkey',
    'dust comes last',
  );
  t.equal(
    reason(
      tx([
        [293, key],
        [0, anchor],
      ]),
    ),
    'dust',
  );
});

t.test('computes dust thresholds of anchors, and lists dust outputs', async (t) => {
  t.equal(dustThreshold(anchor, 3000, true), 240);
  t.equal(dustThreshold(key, 3000, true), 294);
  t.same(
    dustOutputs(
      tx([
        [294, key],
        [239, anchor],
        [0, data(3)],
      ]),
      policy,
    ),
    [1],
  );
});

t.test('treats anchor outputs as standard, without a witness', async (t) => {
  t.equal(solve(anchor).type, 'anchor');
  const spent = [{ value: 240, script: anchor }];
  t.equal(inputsFault(tx([[1000, key]]), spent, { taprootActive: true, anchors: true }), null);
  t.equal(
    inputsFault(tx([[1000, key]]), spent, { taprootActive: true, anchors: false }),
    'input 0 witness program is undefined',
    'as 0.21.1 has it',
  );
  t.equal(witnessIsStandard(tx([[1000, key]], { witness: [Uint8Array.of(1)] }), spent), false, 'they take nothing');
});

t.test('rejects a P2SH spend whose scriptSig leaves no redeem script or is malformed', async (t) => {
  const spent = [{ value: 240, script: Uint8Array.of(0xa9, 20, ...new Uint8Array(20), 0x87) }];
  const fault = (...scriptSig: number[]): string | null => {
    const inputs = [
      { prevHash: new Uint8Array(32).fill(3), prevIndex: 0, scriptSig: Uint8Array.from(scriptSig), sequence: 5, witness: [] },
    ];
    const spender = parseTx(buildTx({ version: 2, inputs, outputs: [{ value: 1000, script: key }], locktime: 0 }), hashes);
    return inputsFault(spender, spent, { taprootActive: true, anchors: true });
  };
  const push = (bytes: number): number[] => [0x4d, bytes & 0xff, bytes >> 8, ...new Uint8Array(bytes)];
  t.equal(fault(), 'input 0 P2SH redeemscript missing');
  t.equal(fault(...push(520)), null);
  t.equal(fault(...push(521)), 'p2sh scriptsig malformed (input 0: Push value size limit exceeded)');
  t.equal(fault(0x50, 0x51), 'p2sh scriptsig malformed (input 0: Opcode missing or not understood)', 'OP_RESERVED');
  t.equal(fault(2, 0x51), 'p2sh scriptsig malformed (input 0: Opcode missing or not understood)', 'cut off');
  t.equal(fault(...new Uint8Array(1000)), null);
  t.equal(fault(...new Uint8Array(1001)), 'p2sh scriptsig malformed (input 0: Stack size limit exceeded)');
});

t.test('feeForSize rounds up for newer releases', async (t) => {
  t.equal(feeForSize(100, 141), 14);
  t.equal(feeForSize(100, 141, true), 15);
  t.equal(feeForSize(1, 1, true), 1);
  t.equal(feeForSize(0, 141, true), 0);
  t.equal(feeForSize(1000, 141, true), 141);
  t.equal(feeForSize(4_000_000_000_001, 1001, true), 4_004_000_000_002, 'beyond exact products');
});
