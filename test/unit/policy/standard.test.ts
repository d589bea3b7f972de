// Fee arithmetic, dust and standardness, with the numbers spelled out.
import t from 'tap';
import { fromHex } from '../../../src/consensus/bytes/hex.js';
import { ScriptError } from '../../../src/consensus/script/script-error.js';
import { dustThreshold } from '../../../src/policy/dust.js';
import { feeForSize, feeRateOf, formatFeeRate } from '../../../src/policy/fee-rate.js';
import { DEFAULT_POLICY, type PolicyOptions } from '../../../src/policy/options.js';
import { inputsFault, pushedStack, witnessIsStandard } from '../../../src/policy/standard-inputs.js';
import { checkStandardTx } from '../../../src/policy/standard-tx.js';
import { adjustedVirtualSize } from '../../../src/policy/virtual-size.js';
import { type SpendOptions, spend } from '../../framework/model-chain.js';
import { crypto } from '../../framework/pool-under-test.js';

const hex = (text: string): Uint8Array => fromHex(text.replaceAll(' ', ''));
const P2PKH = hex(`76a914${'11'.repeat(20)}88ac`);
const P2SH = hex(`a914${'11'.repeat(20)}87`);
const P2WPKH = hex(`0014${'11'.repeat(20)}`);
const P2WSH = hex(`0020${'11'.repeat(32)}`);
const P2TR = hex(`5120${'11'.repeat(32)}`);
const FUTURE = hex(`5220${'11'.repeat(32)}`);
const KEY = `21${'02'.repeat(33)}`;
const multisig = (required: number, keys: number): Uint8Array =>
  hex(`${(0x50 + required).toString(16)}${KEY.repeat(keys)}${(0x50 + keys).toString(16)}ae`);
const data = (bytes: number): Uint8Array => Uint8Array.of(0x6a, 0x4c, bytes, ...new Uint8Array(bytes));

t.test('computes fees of sizes and fee rates as Core does', async (t) => {
  t.equal(feeForSize(1000, 110), 110);
  t.equal(feeForSize(1001, 999), 999, 'truncated');
  t.equal(feeForSize(1, 10), 1, 'at least one satoshi');
  t.equal(feeForSize(0, 10), 0);
  t.equal(feeForSize(-1, 10), -1);
  t.equal(feeForSize(5000, 0), 0);
  t.equal(feeForSize(2_100_000_000_000_000, 1_000_001), 2_100_002_100_000_000_000, 'beyond the safe integers');
  t.equal(feeRateOf(110, 110), 1000);
  t.equal(feeRateOf(1, 3), 333);
  t.equal(feeRateOf(-1, 3), -333);
  t.equal(feeRateOf(5, 0), 0);
  t.equal(formatFeeRate(1000), '0.00001000 BTC/kvB');
  t.equal(formatFeeRate(123_456_789), '1.23456789 BTC/kvB');
});

t.test('adjustedVirtualSize counts signature operations as bytes', async (t) => {
  t.equal(adjustedVirtualSize(437, 4, 20), 110);
  t.equal(adjustedVirtualSize(437, 80, 20), 400, 'signature checks weigh more than bytes here');
  t.equal(adjustedVirtualSize(437, 80, 0), 110);
});

t.test("computes Core's dust threshold for each output type", async (t) => {
  const limits: [string, Uint8Array, number][] = [
    ['P2PKH', P2PKH, 546],
    ['P2SH', P2SH, 540],
    ['P2WPKH', P2WPKH, 294],
    ['P2WSH', P2WSH, 330],
    ['P2TR', P2TR, 330],
    ['OP_RETURN', data(20), 0],
  ];
  for (const [name, script, limit] of limits) t.equal(dustThreshold(script, 3000), limit, name);
  t.equal(dustThreshold(P2PKH, 1000), 182);
  t.equal(dustThreshold(P2PKH, 0), 0);
});

t.test("checkStandardTx accepts and rejects transactions with Core's reasons", async (t) => {
  const from = new Uint8Array(36).fill(1);
  const judge = (outputs: [number, Uint8Array][], options: SpendOptions = {}, policy: Partial<PolicyOptions> = {}): string => {
    const tx = spend(
      crypto,
      [from],
      outputs.map(([value, script]) => ({ value, script })),
      options,
    );
    return checkStandardTx(tx, { ...DEFAULT_POLICY, ...policy })?.reason ?? 'ok';
  };
  t.equal(judge([[1000, P2PKH]], { version: 0 }), 'version');
  t.equal(judge([[1000, P2PKH]], { version: 3 }), 'version');
  t.equal(judge([[1000, P2PKH]], { version: 1 }), 'ok');
  t.equal(judge([[1000, P2PKH]], { scriptSig: new Uint8Array(1650) }), 'ok');
  t.equal(judge([[1000, P2PKH]], { scriptSig: new Uint8Array(1651) }), 'scriptsig-size');
  t.equal(judge([[1000, P2PKH]], { scriptSig: Uint8Array.of(0x61) }), 'scriptsig-not-pushonly');
  t.equal(judge(Array.from({ length: 2941 }, () => [1000, P2PKH])), 'tx-size');
  t.equal(judge([[1000, Uint8Array.of(0x51)]]), 'scriptpubkey');
  t.equal(judge([[10_000, multisig(1, 3)]]), 'ok');
  t.equal(judge([[10_000, multisig(1, 4)]]), 'scriptpubkey');
  t.equal(judge([[10_000, multisig(1, 3)]], {}, { permitBareMultisig: false }), 'bare-multisig');
  t.equal(judge([[100, multisig(1, 3)]]), 'dust');
  t.equal(judge([[545, P2PKH]]), 'dust');
  t.equal(judge([[546, P2PKH]]), 'ok');
  t.equal(judge([[909, P2PKH]], {}, { dustFeeRate: 5_000 }), 'dust');
  t.equal(judge([[910, P2PKH]], {}, { dustFeeRate: 5_000 }), 'ok');
  t.equal(judge([[330, FUTURE]]), 'ok', 'paying to a future witness version is fine');
  t.equal(judge([[0, data(80)]]), 'ok');
  t.equal(judge([[0, data(81)]]), 'scriptpubkey');
  t.equal(judge([[0, data(20)]], {}, { dataCarrier: false }), 'scriptpubkey');
  t.equal(judge([[0, data(28)]], {}, { dataCarrierBytes: 30 }), 'scriptpubkey');
  t.equal(
    judge([
      [0, data(20)],
      [0, data(20)],
    ]),
    'multi-op-return',
  );
  t.equal(
    judge([
      [0, data(20)],
      [0, data(20)],
      [1, P2PKH],
    ]),
    'dust',
    'the count comes last',
  );
});

t.test('checks spent scripts and witnesses against the standardness limits', async (t) => {
  const from = new Uint8Array(36).fill(1);
  const tx = (options: SpendOptions): ReturnType<typeof spend> => spend(crypto, [from], [{ value: 1000, script: P2PKH }], options);
  const push = (script: Uint8Array): Uint8Array =>
    script.length < 76 ? Uint8Array.of(script.length, ...script) : Uint8Array.of(0x4d, script.length & 255, script.length >> 8, ...script);
  const inputs = (script: Uint8Array, options: SpendOptions = {}, taproot = true): boolean =>
    inputsFault(tx(options), [{ value: 1, script }], { taprootActive: taproot, anchors: false }) === null;
  t.ok(inputs(P2PKH));
  t.notOk(inputs(Uint8Array.of(0x51)));
  t.notOk(inputs(FUTURE));
  t.ok(inputs(P2TR));
  t.notOk(inputs(P2TR, {}, false), 'before taproot');
  t.notOk(inputs(P2SH), 'no redeem script');
  t.ok(inputs(P2SH, { scriptSig: push(new Uint8Array(15).fill(0xac)) }));
  t.notOk(inputs(P2SH, { scriptSig: push(new Uint8Array(16).fill(0xac)) }), 'more than 15 signature checks');
  t.notOk(inputs(P2SH, { scriptSig: Uint8Array.of(0x50) }), 'OP_RESERVED cannot run');
  const witness = (script: Uint8Array, items: Uint8Array[], scriptSig: Uint8Array = new Uint8Array(0)): boolean =>
    witnessIsStandard(tx({ witness: items, scriptSig }), [{ value: 1, script }]);
  const bytes = (n: number): Uint8Array => new Uint8Array(n);
  t.notOk(witness(P2PKH, [bytes(1)]));
  t.ok(witness(P2WPKH, [bytes(72), bytes(33)]));
  t.ok(witness(P2SH, [bytes(72), bytes(33)], push(P2WPKH)));
  t.notOk(witness(P2SH, [bytes(72)], push(P2PKH)));
  t.ok(witness(P2WSH, [...Array.from({ length: 100 }, () => bytes(80)), bytes(3600)]));
  t.notOk(witness(P2WSH, [bytes(81), bytes(10)]));
  t.notOk(witness(P2WSH, [...Array.from({ length: 101 }, () => bytes(1)), bytes(10)]));
  t.notOk(witness(P2WSH, [bytes(3601)]));
  t.ok(witness(P2TR, [bytes(64)]));
  t.notOk(witness(P2TR, [bytes(64), Uint8Array.of(0x50)]), 'annex');
  const control = Uint8Array.of(0xc0, ...bytes(32));
  t.ok(witness(P2TR, [bytes(80), bytes(5000), control]));
  t.notOk(witness(P2TR, [bytes(81), bytes(5000), control]));
  t.ok(witness(P2TR, [bytes(81), bytes(10), Uint8Array.of(0xc2, ...bytes(32))]), 'another leaf version has no such limit');
  t.notOk(witness(P2TR, [bytes(1), bytes(0)]), 'no control block');
  t.ok(witness(P2SH, [bytes(200), bytes(5000), control], push(P2TR)), 'nested programs of version 1 are not taproot');
});

t.test('pushedStack returns the pushed items, or the error of an invalid script', async (t) => {
  t.strictSame(pushedStack(hex('00 51 60 4f 02aabb 4c01cc')), [hex(''), hex('01'), hex('10'), hex('81'), hex('aabb'), hex('cc')]);
  t.equal(pushedStack(hex('02aa')), ScriptError.BAD_OPCODE, 'cut off');
  t.equal(pushedStack(Uint8Array.of(0x4d, 0x09, 0x02, ...new Uint8Array(521))), ScriptError.PUSH_SIZE, 'too large to push');
  t.match(pushedStack(new Uint8Array(1000)), { length: 1000 });
  t.equal(pushedStack(new Uint8Array(1001)), ScriptError.STACK_SIZE, 'too many items');
});
