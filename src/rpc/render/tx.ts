// A transaction as an object, in Core 0.21's member order. Used by decoderawtransaction, getrawtransaction and getblock 2.
// Core: core_write.cpp TxToUniv.
import type { TxView } from '../../consensus/tx/tx-view.js';
import { scriptAsm } from '../../policy/script-asm.js';
import { Amount, type JsonResult } from '../wire/values.js';
import { hashHex, hex } from './hex.js';
import { type RenderContext, scriptMembers } from './script.js';

function input(tx: TxView, i: number): JsonResult {
  const out: Record<string, JsonResult> = {};
  const script = tx.scriptSig(i);
  if (tx.isCoinbase) out.coinbase = hex(script);
  else {
    out.txid = hashHex(tx.prevHash(i));
    out.vout = tx.prevIndex(i);
    out.scriptSig = { asm: scriptAsm(script, { sighashDecode: true }), hex: hex(script) };
  }
  if (tx.witnessCount(i) > 0) out.txinwitness = tx.witness(i).map(hex);
  out.sequence = tx.sequence(i);
  return out;
}

/** An output's value in satoshis, exact even where a number is not. */
function outputAmount(tx: TxView, i: number): Amount {
  const value = tx.outputValue(i);
  return new Amount(Number.isSafeInteger(value) ? value : tx.outputValueBig(i));
}

/** Members of a transaction, the hex not included. */
export function txMembers(tx: TxView, ctx: RenderContext): Record<string, JsonResult> {
  const vin: JsonResult[] = [];
  for (let i = 0; i < tx.inputCount; i++) vin.push(input(tx, i));
  const vout: JsonResult[] = [];
  for (let i = 0; i < tx.outputCount; i++) {
    vout.push({ value: outputAmount(tx, i), n: i, scriptPubKey: scriptMembers(tx.outputScript(i), ctx, true) });
  }
  return {
    txid: hashHex(tx.txid),
    hash: hashHex(tx.wtxid),
    version: tx.version >>> 0,
    size: tx.totalSize,
    vsize: tx.vsize,
    weight: tx.weight,
    locktime: tx.locktime,
    vin,
    vout,
  };
}

/** Hex of the whole transaction. */
export const txHex = (tx: TxView): string => hex(tx.bytes);
