// Shows a transaction as an object, in Core 0.21's order of members. Core: core_write.cpp TxToUniv.
import type { Coin } from '../../consensus/coin.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { scriptAsm } from '../../policy/script-asm.js';
import { encodeJson } from '../wire/json-write.js';
import { Pieces } from '../wire/pieces.js';
import { Amount, type JsonResult, RawJson } from '../wire/values.js';
import { hashHex, hex } from './hex.js';
import { type RenderContext, scriptMembers } from './script.js';

/** The outputs that a transaction spends. */
export interface SpentOutputs {
  /** Coins by input. */
  readonly coins: readonly Coin[];
  /** True if each input shows the output that it spends. If not, only the fee is shown. */
  readonly shown: boolean;
}

function spentMembers({ coinbase, height, value, script }: Coin, ctx: RenderContext): JsonResult {
  return { generated: coinbase, height, value: new Amount(value), scriptPubKey: scriptMembers(script, ctx, true) };
}

function input(tx: TxView, i: number, ctx: RenderContext, spent: SpentOutputs | null): JsonResult {
  const out: Record<string, JsonResult> = {};
  const script = tx.scriptSig(i);
  if (tx.isCoinbase) out.coinbase = hex(script);
  else {
    out.txid = hashHex(tx.prevHash(i));
    out.vout = tx.prevIndex(i);
    out.scriptSig = { asm: scriptAsm(script, { sighashDecode: true }), hex: hex(script) };
  }
  if (tx.witnessCount(i) > 0) out.txinwitness = tx.witness(i).map(hex);
  if (spent?.shown) out.prevout = spentMembers(spent.coins[i], ctx);
  out.sequence = tx.sequence(i);
  return out;
}

/** Returns the value of an output in satoshis, exact even if a number is not. */
function outputAmount(tx: TxView, i: number): Amount {
  const value = tx.outputValue(i);
  return new Amount(Number.isSafeInteger(value) ? value : tx.outputValueBig(i));
}

/** Returns whether an output script is change of a wallet. */
export type IsChange = (script: Uint8Array) => boolean;

function output(tx: TxView, i: number, ctx: RenderContext, isChange?: IsChange): JsonResult {
  const script = tx.outputScript(i);
  const shown = { value: outputAmount(tx, i), n: i, scriptPubKey: scriptMembers(script, ctx, true) };
  return isChange?.(script) ? { ...shown, ischange: true } : shown;
}

/** Decides when long work pauses; Slicer implements it. */
export interface Pauses {
  readonly due: boolean;
  pause(): Promise<void>;
}

/**
 * Returns the members of a transaction, in slices because a transaction may fill a block. Its lists are encoded
 * already.
 * @param spent null: show neither spent outputs nor the fee
 */
export async function txMembersSliced(
  tx: TxView,
  ctx: RenderContext,
  pauses: Pauses,
  spent: SpentOutputs | null = null,
  isChange?: IsChange,
): Promise<Record<string, JsonResult>> {
  const list = async (length: number, item: (i: number) => JsonResult): Promise<RawJson> => {
    const pieces = new Pieces(',');
    for (let i = 0; i < length; i++) {
      pieces.add(encodeJson(item(i)));
      if (pauses.due) await pauses.pause();
    }
    return new RawJson(`[${pieces.text()}]`);
  };
  const vin = await list(tx.inputCount, (i) => input(tx, i, ctx, spent));
  const vout = await list(tx.outputCount, (i) => output(tx, i, ctx, isChange));
  return { ...headMembers(tx), vin, vout, ...(spent ? { fee: new Amount(feeOf(tx, spent.coins)) } : {}) };
}

/** Returns the fee in satoshis: inputs minus outputs. */
function feeOf(tx: TxView, coins: readonly Coin[]): number {
  let fee = coins.reduce((sum, { value }) => sum + value, 0);
  for (let i = 0; i < tx.outputCount; i++) fee -= tx.outputValue(i);
  return fee;
}

/** Returns the members before the lists. */
export function headMembers(tx: TxView): Record<string, JsonResult> {
  return {
    txid: hashHex(tx.txid),
    hash: hashHex(tx.wtxid),
    version: tx.version >>> 0,
    size: tx.totalSize,
    vsize: tx.vsize,
    weight: tx.weight,
    locktime: tx.locktime,
  };
}

/** Returns the hex of the whole transaction. */
export const txHex = (tx: TxView): string => hex(tx.bytes);
