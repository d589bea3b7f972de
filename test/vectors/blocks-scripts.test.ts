// Verifies every script of the real blocks that come with their spent outputs, counts their sigop cost, and then
// changes single bytes of signatures, witnesses, spent scripts and spent amounts: each change must fail.

import { join } from 'node:path';
import t from 'tap';
import { parseBlock } from '../../src/consensus/block/block-view.js';
import {
  SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY,
  SCRIPT_VERIFY_CHECKSEQUENCEVERIFY,
  SCRIPT_VERIFY_DERSIG,
  SCRIPT_VERIFY_NULLDUMMY,
  SCRIPT_VERIFY_P2SH,
  SCRIPT_VERIFY_TAPROOT,
  SCRIPT_VERIFY_WITNESS,
} from '../../src/consensus/script/flags.js';
import { ScriptError } from '../../src/consensus/script/script-error.js';
import { SighashCache } from '../../src/consensus/script/sighash.js';
import { sigopCost } from '../../src/consensus/script/sigops.js';
import type { SpentOutput } from '../../src/consensus/script/spent-output.js';
import { isPushOnly, ScriptTokenizer } from '../../src/consensus/script/tokenizer.js';
import { parseTx, type TxView } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { verifyBothWays } from '../framework/engine-verify.js';
import { unhex } from '../framework/hex.js';
import { readJson, readVector, VECTORS, vectorNames, vectorPath } from '../framework/vector-suite.js';

const FOLDER = 'blocks/with-spent-outputs';
const crypto = createNativeCrypto();
// Inputs per block whose bytes are changed, spread evenly over it.
const MUTATED_INPUTS = 200;

interface Facts {
  network: 'main' | 'test';
  height: number;
  time: number;
  sigopsCost: number;
  weight: number;
  spent: [number, string, ...unknown[]][];
}
interface SpendingTx {
  tx: TxView;
  spent: SpentOutput[];
}

/** The flags of each block by the heights at which rules began (the vectors' README). */
function flagsOf({ network, height, time }: Facts): number {
  const early = SCRIPT_VERIFY_DERSIG | SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY | SCRIPT_VERIFY_CHECKSEQUENCEVERIFY;
  if (network === 'test') return SCRIPT_VERIFY_P2SH | early | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_NULLDUMMY;
  let flags = time >= 1333238400 ? SCRIPT_VERIFY_P2SH : 0;
  if (height >= 363725) flags |= SCRIPT_VERIFY_DERSIG;
  if (height >= 388381) flags |= SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY;
  if (height >= 419328) flags |= SCRIPT_VERIFY_CHECKSEQUENCEVERIFY;
  if (height >= 481824) flags |= SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_NULLDUMMY;
  if (height >= 709632) flags |= SCRIPT_VERIFY_TAPROOT;
  return flags;
}

/** The first failing input's error of a transaction, 0 when all verify. */
function firstError({ tx, spent }: SpendingTx, flags: number): number {
  const cache = new SighashCache(tx, crypto, spent);
  for (let i = 0; i < tx.inputCount; i++) {
    const error = verifyBothWays(tx, i, spent, flags, crypto, cache);
    if (error !== ScriptError.OK) return error;
  }
  return ScriptError.OK;
}

/** Returns the error of one input after its transaction's bytes were parsed again. */
function inputError(tx: TxView, input: number, spent: SpentOutput[], flags: number): number {
  return verifyBothWays(tx, input, spent, flags, crypto, new SighashCache(tx, crypto, spent));
}

/** Returns the transaction with one byte of a view into it changed, parsed again. */
function withByteChanged(tx: TxView, view: Uint8Array, at: number): TxView {
  const bytes = new Uint8Array(tx.bytes);
  bytes[view.byteOffset - tx.bytes.byteOffset + at] ^= 0x01;
  return parseTx(bytes, crypto, { exact: true });
}

function replaced(spent: SpentOutput[], input: number, output: SpentOutput): SpentOutput[] {
  return spent.map((old, i) => (i === input ? output : old));
}

/** The pushes of a scriptSig that are long enough to be a key, a signature or a script. */
function longPushes(script: Uint8Array): Uint8Array[] {
  const pushes: Uint8Array[] = [];
  const token = new ScriptTokenizer(script);
  while (token.next()) if (token.dataLength >= 20) pushes.push(token.data());
  return pushes;
}

const names = vectorNames(FOLDER, /^(?!index\.json$).*\.json$/);
t.test('verifies the scripts of real blocks', { skip: names.length === 0 && `${join(VECTORS, FOLDER)} is not there` }, async (t) => {
  const kinds = { scriptSig: 0, witness: 0, script: 0, amount: 0 };
  for (const name of names) {
    const stem = name.slice(0, name.indexOf('.json'));
    if (vectorPath(`${FOLDER}/${stem}.bin`) === null) {
      t.pass(stem, { skip: 'its block is not there' });
      continue;
    }
    const bytes = readVector(`${FOLDER}/${stem}.bin`);
    const facts = readJson<Facts>(`${FOLDER}/${name}`);
    const flags = flagsOf(facts);
    const block = parseBlock(bytes, crypto, { exact: true });
    t.equal(block.weight, facts.weight, `${stem}: weight`);
    let at = 0;
    let cost = 0;
    const spending: SpendingTx[] = [];
    for (const tx of block.txs) {
      const count = tx.isCoinbase ? 0 : tx.inputCount;
      const spent = facts.spent.slice(at, at + count).map(([value, script]) => ({ value, script: unhex(script) }));
      at += count;
      cost += sigopCost(tx, spent, flags);
      if (count > 0) spending.push({ tx, spent });
    }
    t.equal(at, facts.spent.length, `${stem}: one spent output per input`);
    t.equal(cost, facts.sigopsCost, `${stem}: sigop cost`);
    const failed = spending.filter((job) => firstError(job, flags) !== ScriptError.OK);
    t.equal(failed.length, 0, `${stem}: ${facts.spent.length} inputs verify`);

    const survivors: string[] = [];
    // One block spends 20,000 coins whose script is empty and whose scriptSig any true value: nothing there can be
    // changed for the worse.
    const changeable = facts.spent.filter(([, script]) => script !== '').length;
    const every = Math.max(1, Math.floor(changeable / MUTATED_INPUTS));
    let seen = 0;
    for (const { tx, spent } of spending) {
      for (let i = 0; i < tx.inputCount; i++) {
        if (spent[i].script.length === 0 || seen++ % every !== 0) continue;
        const where = `${stem}, tx ${Buffer.from(tx.txid).reverse().toString('hex')}, input ${i}`;
        const { script, value } = spent[i];
        for (const push of isPushOnly(tx.scriptSig(i)) ? longPushes(tx.scriptSig(i)) : []) {
          kinds.scriptSig++;
          if (inputError(withByteChanged(tx, push, push.length >> 1), i, spent, flags) === 0) survivors.push(`${where}: scriptSig`);
        }
        for (const item of tx.witness(i)) {
          if (item.length < 20) continue;
          kinds.witness++;
          if (inputError(withByteChanged(tx, item, item.length >> 1), i, spent, flags) === 0) survivors.push(`${where}: witness`);
        }
        kinds.script++;
        const changed = script.slice();
        changed[changed.length >> 1] ^= 0x01;
        if (inputError(tx, i, replaced(spent, i, { value, script: changed }), flags) === 0) survivors.push(`${where}: spent script`);
        if (tx.witnessCount(i) > 0) {
          kinds.amount++;
          if (inputError(tx, i, replaced(spent, i, { value: value + 1, script }), flags) === 0) survivors.push(`${where}: amount`);
        }
      }
    }
    t.same(survivors, [], `${stem}: every changed byte fails`);
  }
  t.comment(`changes tried: ${JSON.stringify(kinds)}`);
});
