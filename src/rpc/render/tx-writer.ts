// Writes transactions as JSON bytes, member by member, in Core's order. Objects and strings in between would cost more
// than everything else about a block of thousands of transactions. Core: core_write.cpp TxToUniv.
import { addChecksum } from '../../address/descriptor/checksum.js';
import type { Coin } from '../../consensus/coin.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { shows } from '../../policy/compat.js';
import { scriptAsm } from '../../policy/script-asm.js';
import { type ScriptType, scriptType } from '../../policy/script-type.js';
import { JsonBytes } from '../wire/json-bytes.js';
import { encodeJson } from '../wire/json-write.js';
import type { JsonResult } from '../wire/values.js';
import { bytesHex, hashHex } from './hex.js';
import { addressOf, type RenderContext, scriptMembers } from './script.js';

/** Number of scripts whose members are cached, and the size up to which a script is. */
const CACHED_SCRIPTS = 4096;
const CACHED_SCRIPT_BYTES = 80;

/** The outputs that a transaction spends. */
export interface SpentOutputs {
  /** Coins by input. */
  readonly coins: readonly Coin[];
  /** True if each input shows the output that it spends. If not, only the fee is shown. */
  readonly shown: boolean;
}

/** Returns whether an output script is change of a wallet. */
export type IsChange = (script: Uint8Array) => boolean;

/** Writes transactions for one release and network. */
export class TxWriter {
  readonly #ctx: RenderContext;
  /** Members of scripts that the release shows; `old`: reqSigs and addresses. */
  readonly #shown: { readonly desc: boolean; readonly address: boolean; readonly old: boolean };
  /** Encoded members of scripts by their bytes. Exchanges and pools pay to the same scripts again and again. */
  readonly #scripts = new Map<string, Uint8Array>();

  constructor(ctx: RenderContext) {
    this.#ctx = ctx;
    const { compat } = ctx;
    this.#shown = { desc: shows(compat, { since: 23 }), address: shows(compat, { since: 22 }), old: shows(compat, { until: 23 }) };
  }

  /** Returns an object without fee and hex. @param isChange marks outputs with ischange; undefined: the release does not */
  text(tx: TxView, isChange?: IsChange): string {
    const out = new JsonBytes();
    this.writeObject(out, tx, null, false, isChange);
    return out.toString();
  }

  /** Writes an object: with fee if the spent outputs are given, and with hex unless the caller knows it. */
  writeObject(out: JsonBytes, tx: TxView, spent: SpentOutputs | null, withHex = true, isChange?: IsChange): void {
    out.text('{"txid":');
    out.hash(tx.txid);
    out.text(',"hash":');
    out.hash(tx.wtxid);
    out.text(',"version":');
    out.int(tx.version >>> 0);
    out.text(',"size":');
    out.int(tx.totalSize);
    out.text(',"vsize":');
    out.int(tx.vsize);
    out.text(',"weight":');
    out.int(tx.weight);
    out.text(',"locktime":');
    out.int(tx.locktime);
    out.text(',"vin":');
    this.writeInputs(out, tx, spent);
    out.text(',"vout":');
    this.writeOutputs(out, tx, isChange);
    if (spent !== null) {
      out.text(',"fee":');
      out.amount(feeOf(tx, spent.coins));
    }
    if (withHex) {
      out.text(',"hex":');
      out.hex(tx.buffer, tx.start, tx.end);
    }
    out.text('}');
  }

  /** Writes the list of inputs. */
  writeInputs(out: JsonBytes, tx: TxView, spent: SpentOutputs | null): void {
    const { isCoinbase, inputCount, buffer } = tx;
    out.text('[');
    for (let i = 0; i < inputCount; i++) {
      out.beginEntry();
      out.text(i > 0 ? ',{' : '{');
      const scriptAt = tx.scriptSigAt(i);
      const scriptEnd = scriptAt + tx.scriptSigLength(i);
      if (isCoinbase) {
        out.text('"coinbase":');
        out.hex(buffer, scriptAt, scriptEnd);
      } else {
        out.text('"txid":');
        out.hash(tx.prevHash(i));
        out.text(',"vout":');
        out.int(tx.prevIndex(i));
        if (scriptAt === scriptEnd) out.text(',"scriptSig":{"asm":"","hex":""}');
        else {
          out.text(',"scriptSig":{"asm":"');
          out.text(scriptAsm(tx.scriptSig(i), { sighashDecode: true }));
          out.text('","hex":');
          out.hex(buffer, scriptAt, scriptEnd);
          out.text('}');
        }
      }
      if (tx.witnessCount(i) > 0) {
        out.text(',"txinwitness":[');
        for (const [k, item] of tx.witness(i).entries()) {
          out.beginEntry();
          if (k > 0) out.text(',');
          out.hex(item);
        }
        out.text(']');
      }
      if (spent?.shown) this.#writePrevout(out, spent.coins[i] as Coin);
      out.text(',"sequence":');
      out.int(tx.sequence(i));
      out.text('}');
    }
    out.text(']');
  }

  #writePrevout(out: JsonBytes, { coinbase, height, value, script }: Coin): void {
    out.text(coinbase ? ',"prevout":{"generated":true,"height":' : ',"prevout":{"generated":false,"height":');
    out.int(height);
    out.text(',"value":');
    out.amount(value);
    out.text(',"scriptPubKey":');
    this.#writeScript(out, script);
    out.text('}');
  }

  /** Writes the list of outputs. */
  writeOutputs(out: JsonBytes, tx: TxView, isChange?: IsChange): void {
    out.text('[');
    for (let i = 0; i < tx.outputCount; i++) {
      out.beginEntry();
      out.text(i > 0 ? ',{"value":' : '{"value":');
      const value = tx.outputValue(i);
      out.amount(Number.isSafeInteger(value) ? value : tx.outputValueBig(i));
      out.text(',"n":');
      out.int(i);
      out.text(',"scriptPubKey":');
      const script = tx.outputScript(i);
      this.#writeScript(out, script);
      out.text(isChange?.(script) ? ',"ischange":true}' : '}');
    }
    out.text(']');
  }

  #writeScript(out: JsonBytes, script: Uint8Array): void {
    if (script.length > CACHED_SCRIPT_BYTES) {
      out.text(encodeJson(scriptMembers(script, this.#ctx, true)));
      return;
    }
    const key = latin1(script);
    let bytes = this.#scripts.get(key);
    if (bytes === undefined) {
      bytes = Buffer.from(this.#frequentScript(script) ?? encodeJson(scriptMembers(script, this.#ctx, true)), 'latin1');
      if (this.#scripts.size >= CACHED_SCRIPTS) this.#scripts.clear();
      this.#scripts.set(key, bytes);
    }
    out.raw(bytes);
  }

  /**
   * Returns the members of a script of a frequent type; null for other types. Their descriptor is their address, because
   * the key or script behind a hash is not known.
   */
  #frequentScript(script: Uint8Array): string | null {
    const type = scriptType(script);
    const form = ASM_AROUND_HASH[type];
    if (form === undefined) return null;
    const whole = bytesHex(script);
    const asm = `${form.before}${whole.slice(2 * form.from, 2 * form.to)}${form.after}`;
    const address = addressOf(script, this.#ctx);
    const desc = this.#shown.desc ? `"desc":"${addChecksum(`addr(${address})`)}",` : '';
    const signatures = this.#shown.old ? '"reqSigs":1,' : '';
    const single = this.#shown.address ? `"address":"${address}",` : '';
    const list = this.#shown.old ? `,"addresses":["${address}"]` : '';
    return `{"asm":"${asm}",${desc}"hex":"${whole}",${signatures}${single}"type":"${type}"${list}}`;
  }
}

/** Text form of the most frequent scripts: what is around the hash, and where in the script the hash lies. */
const ASM_AROUND_HASH: Readonly<
  Partial<Record<ScriptType, { readonly before: string; readonly from: number; readonly to: number; readonly after: string }>>
> = {
  pubkeyhash: { before: 'OP_DUP OP_HASH160 ', from: 3, to: 23, after: ' OP_EQUALVERIFY OP_CHECKSIG' },
  scripthash: { before: 'OP_HASH160 ', from: 2, to: 22, after: ' OP_EQUAL' },
  witness_v0_keyhash: { before: '0 ', from: 2, to: 22, after: '' },
  witness_v0_scripthash: { before: '0 ', from: 2, to: 34, after: '' },
};

const latin1 = ({ buffer, byteOffset, length }: Uint8Array): string => Buffer.from(buffer, byteOffset, length).toString('latin1');

const writers = new WeakMap<RenderContext, TxWriter>();

/** Returns the writer of a context, with the scripts that it has cached. */
export function txWriterOf(ctx: RenderContext): TxWriter {
  let writer = writers.get(ctx);
  if (writer === undefined) writers.set(ctx, (writer = new TxWriter(ctx)));
  return writer;
}

/** Returns the members of a transaction before its lists. */
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

/** Returns the hex of a whole transaction. */
export const txHex = (tx: TxView): string => bytesHex(tx.bytes);

/** Returns the fee in satoshis: inputs minus outputs. */
export function feeOf(tx: TxView, coins: readonly Coin[]): number {
  let fee = coins.reduce((sum, { value }) => sum + value, 0);
  for (let i = 0; i < tx.outputCount; i++) fee -= tx.outputValue(i);
  return fee;
}
