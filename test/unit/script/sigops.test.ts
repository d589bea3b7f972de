// Sigop counting over scripts and transactions.

import t from 'tap';
import { joinScript, plainPush, scriptHashScript, witnessProgramScript } from '../../../src/consensus/script/build-script.js';
import { countSigops, legacySigops, p2shSigops, sigopCost } from '../../../src/consensus/script/sigops.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { script } from '../../framework/script-words.js';

const hashes = createPureHashes();
const EMPTY = new Uint8Array(0);
const P2SH = 1;
const WITNESS = 1 << 11;

function txWith(scriptSig: Uint8Array, witness: Uint8Array[], output: Uint8Array, coinbase = false): TxView {
  const prev = coinbase ? { prevHash: new Uint8Array(32), prevIndex: 0xffffffff } : { prevHash: new Uint8Array(32).fill(1), prevIndex: 0 };
  const inputs = [{ ...prev, scriptSig, sequence: 0, witness }];
  return parseTx(buildTx({ version: 1, inputs, outputs: [{ value: 1, script: output }], locktime: 0 }), hashes);
}

/** Returns the sigops that the witness of a spend adds for this script. */
const witnessSigops = (tx: TxView, spent: Uint8Array): number => sigopCost(tx, [{ script: spent }], WITNESS) - 4 * legacySigops(tx);

t.test('counts no witness sigops for a redeem script that is not pushed', async (t) => {
  t.equal(witnessSigops(txWith(script('NOP'), [], EMPTY), scriptHashScript(new Uint8Array(20))), 0);
});

t.test('counts sigops of scripts with and without accurate multisig counts', async (t) => {
  for (const [words, inaccurate, accurate] of [
    ['', 0, 0],
    ['CHECKSIG CHECKSIGVERIFY', 2, 2],
    ['CHECKMULTISIG', 20, 20],
    ['3 CHECKMULTISIGVERIFY', 20, 3],
    ['16 CHECKMULTISIG', 20, 16],
    ['1 CHECKMULTISIG', 20, 1],
    ['0 CHECKMULTISIG', 20, 20],
    ['<11> CHECKMULTISIG', 20, 20],
    ['2 NOP CHECKMULTISIG', 20, 20],
    ['RETURN CHECKSIG', 1, 1],
    ['<acacac>', 0, 0],
    ['CHECKSIG {05acac}', 1, 1],
    ['CHECKSIGADD', 0, 0],
  ] as const) {
    t.equal(countSigops(script(words), false), inaccurate, words);
    t.equal(countSigops(script(words), true), accurate, words);
  }
});

const redeem = script('1 <aa> <bb> 2 CHECKMULTISIG CHECKSIG');
const p2sh = scriptHashScript(hashes.hash160(redeem));
const p2wpkh = witnessProgramScript(0, new Uint8Array(20).fill(7));
const p2wsh = witnessProgramScript(0, hashes.sha256(redeem));

t.test('counts sigops of P2SH and witness inputs', async (t) => {
  t.equal(p2shSigops(plainPush(redeem), p2sh), 3);
  t.equal(p2shSigops(plainPush(redeem), script('1')), 0, 'not P2SH');
  t.equal(p2shSigops(joinScript(plainPush(redeem), script('NOP')), p2sh), 0, 'more than pushes');
  t.equal(p2shSigops(joinScript(script('NOP'), plainPush(redeem)), p2sh), 0);
  t.equal(p2shSigops(joinScript(plainPush(redeem), script('1')), p2sh), 0, 'the last push is OP_1');
  t.equal(p2shSigops(EMPTY, p2sh), 0);
  const witness = [EMPTY, redeem];
  t.equal(witnessSigops(txWith(EMPTY, witness, EMPTY), p2wpkh), 1);
  t.equal(witnessSigops(txWith(EMPTY, witness, EMPTY), p2wsh), 3);
  t.equal(witnessSigops(txWith(EMPTY, [], EMPTY), p2wsh), 0);
  t.equal(witnessSigops(txWith(EMPTY, witness, EMPTY), witnessProgramScript(1, new Uint8Array(32).fill(7))), 0, 'taproot');
  t.equal(witnessSigops(txWith(EMPTY, witness, EMPTY), witnessProgramScript(0, new Uint8Array(30).fill(7))), 0);
  t.equal(witnessSigops(txWith(plainPush(p2wsh), witness, EMPTY), scriptHashScript(hashes.hash160(p2wsh))), 3);
  t.equal(witnessSigops(txWith(plainPush(p2wpkh), witness, EMPTY), scriptHashScript(hashes.hash160(p2wpkh))), 1);
  t.equal(witnessSigops(txWith(plainPush(redeem), witness, EMPTY), p2sh), 0);
});

t.test('computes the sigop cost of a transaction', async (t) => {
  const out = script('2 CHECKMULTISIG');
  const legacy = txWith(script('CHECKSIG'), [], out);
  t.equal(legacySigops(legacy), 21);
  t.equal(sigopCost(legacy, [{ script: script('CHECKSIG') }], P2SH | WITNESS), 84, 'the spent script itself does not count');
  const nested = txWith(plainPush(redeem), [], out);
  t.equal(sigopCost(nested, [{ script: p2sh }], P2SH | WITNESS), 80 + 12);
  t.equal(sigopCost(nested, [{ script: p2sh }], 0), 80);
  const segwit = txWith(EMPTY, [EMPTY, redeem], out);
  t.equal(sigopCost(segwit, [{ script: p2wsh }], P2SH | WITNESS), 83);
  t.equal(sigopCost(segwit, [{ script: p2wsh }], P2SH), 80);
  t.equal(
    sigopCost(txWith(script('CHECKSIG 1'), [new Uint8Array(32)], out, true), [], P2SH | WITNESS),
    84,
    'a coinbase has no spent outputs',
  );
});
