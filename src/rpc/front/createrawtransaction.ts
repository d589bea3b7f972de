// Builds unsigned transactions from JSON for createrawtransaction and other calls, with Core 0.21's checks in their
// order (rpc/rawtransaction_util.cpp).
import { decodeAddress } from '../../address/address.js';
import { plainPush } from '../../consensus/script/build-script.js';
import { buildTx, type TxInputFields, type TxOutputFields } from '../../consensus/tx/build-tx.js';
import { type Compat, follows } from '../../policy/compat.js';
import { asAmount, asArray, asHash, asHex, asInt, asInt64, asObject, asUint32 } from '../args.js';
import { fail, RPC_CODE } from '../errors.js';
import { bytesHex } from '../render/hex.js';
import { JsonNumber, JsonObject, type JsonValue } from '../wire/values.js';
import type { FrontContext } from './context.js';

const MAX_LOCKTIME = 0xffff_ffffn;

const SEQUENCE_FINAL = 0xffff_ffff;

/** Highest sequence with which the lock time is enforced. */
const SEQUENCE_LOCKABLE = 0xffff_fffe;

/** Highest sequence that marks a transaction as replaceable (BIP-0125). */
const SEQUENCE_REPLACEABLE = 0xffff_fffd;

const OP_RETURN = 0x6a;

const DEFAULT_VERSION = 2;

/** Highest transaction version that any release relays. */
const MAX_STANDARD_VERSION = 3;

const invalid = (what: string): never => fail(RPC_CODE.INVALID_PARAMETER, `Invalid parameter, ${what}`);

function input(value: JsonValue, sequenceDefault: number): TxInputFields {
  const object = asObject(value);
  const prevHash = asHash(object.get('txid'), 'txid');
  const vout = object.get('vout');
  if (!(vout instanceof JsonNumber)) return invalid('missing vout key');
  const prevIndex = asInt(vout);
  if (prevIndex < 0) invalid('vout cannot be negative');
  let sequence = sequenceDefault;
  const given = object.get('sequence');
  if (given instanceof JsonNumber) {
    const number = asInt64(given);
    if (number < 0n || number > BigInt(SEQUENCE_FINAL)) invalid('sequence number is out of range');
    sequence = Number(number);
  }
  return { prevHash, prevIndex, scriptSig: new Uint8Array(0), sequence };
}

/** Returns all outputs as one object. Joins a list of objects with one member each. */
function joined(outputs: JsonValue): JsonObject {
  if (outputs instanceof JsonObject) return outputs;
  const keys: string[] = [];
  const values: JsonValue[] = [];
  for (const item of asArray(outputs)) {
    if (!(item instanceof JsonObject)) return invalid('key-value pair not an object as expected');
    if (item.size !== 1) invalid('key-value pair must contain exactly one key');
    keys.push(item.keys[0]);
    values.push(item.values[0]);
  }
  return new JsonObject(keys, values);
}

/** Returns a value as text, whatever its type (univalue's getValStr). */
function valueText(value: JsonValue | undefined): string {
  if (value instanceof JsonNumber) return value.text;
  return value === true ? '1' : typeof value === 'string' ? value : '';
}

function dataScript(data: Uint8Array): Uint8Array {
  const push = plainPush(data);
  const script = new Uint8Array(push.length + 1);
  script[0] = OP_RETURN;
  script.set(push, 1);
  return script;
}

/** Reads the outputs argument: amounts by address, and data. */
export function outputsOf(given: JsonValue, ctx: Pick<FrontContext, 'params' | 'hashes'>): TxOutputFields[] {
  const all = joined(given);
  const seen = new Set<string>();
  const out: TxOutputFields[] = [];
  for (const [i, key] of all.keys.entries()) {
    if (key === 'data') {
      if (seen.has('data')) invalid('duplicate key: data');
      seen.add('data');
      const data = asHex(valueText(all.values[i]), 'Data');
      out.push({ value: 0, script: dataScript(data) });
      continue;
    }
    const decoded = decodeAddress(key, ctx.params, ctx.hashes);
    if (!('script' in decoded)) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Invalid Bitcoin address: ${key}`);
    const mark = bytesHex(decoded.script);
    if (seen.has(mark)) invalid(`duplicated address: ${key}`);
    seen.add(mark);
    out.push({ value: asAmount(all.values[i]), script: decoded.script });
  }
  return out;
}

/**
 * Reads the replaceable argument: whether the inputs signal replaceability. Null: not given, which since release 24
 * means that they do.
 */
export const asReplaceable = (value: JsonValue | undefined, compat: Compat): boolean | null =>
  value === true ? true : (value ?? null) === null && follows(compat, 24) ? null : false;

/** The arguments of a transaction, as they were sent. Null: missing. */
export interface TxParts {
  readonly inputs: JsonValue;
  readonly outputs: JsonValue;
  readonly locktime: JsonValue;
}

/** Reads the version among other options. */
export const asTxVersion = (value: JsonValue | undefined): number => ((value ?? null) === null ? DEFAULT_VERSION : asUint32(value));

/**
 * Builds an unsigned transaction from the arguments inputs, outputs, and lock time.
 * @param replaceable null: signal replaceability, but accept inputs whose sequence does not
 */
export function constructTransaction(
  ctx: Pick<FrontContext, 'params' | 'hashes' | 'compat'>,
  { inputs, outputs, locktime: lock }: TxParts,
  replaceable: boolean | null,
  version = DEFAULT_VERSION,
): Uint8Array {
  const listed = inputs === null ? [] : asArray(inputs);
  const checkOutputs = (): void => {
    if (outputs === null) invalid('output argument must be non-null');
    if (!(outputs instanceof JsonObject)) asArray(outputs);
  };
  // Releases differ in what they check first.
  const later = follows(ctx.compat, 31);
  if (!later) checkOutputs();
  let locktime = 0;
  if (lock !== null) {
    const number = asInt64(lock);
    if (number < 0n || number > MAX_LOCKTIME) invalid('locktime out of range');
    locktime = Number(number);
  }
  if (version < 1 || version > MAX_STANDARD_VERSION) invalid(`version out of range(1~${MAX_STANDARD_VERSION})`);
  const sequence = (replaceable ?? true) ? SEQUENCE_REPLACEABLE : locktime ? SEQUENCE_LOCKABLE : SEQUENCE_FINAL;
  const vin = listed.map((one) => input(one, sequence));
  if (later) checkOutputs();
  const vout = outputsOf(outputs, ctx);
  if (replaceable && vin.length > 0 && !vin.some((one) => one.sequence <= SEQUENCE_REPLACEABLE)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter combination: Sequence number(s) contradict replaceable option');
  }
  return buildTx({ version, inputs: vin, outputs: vout, locktime });
}
