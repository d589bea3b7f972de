// Reads arguments as the handlers of Core 0.21 do, with their exact codes and texts: plain getters (-1), explicit type
// checks (-3), 64-digit hashes and hex (-8), amounts (-3). Core: rpc/util.cpp, univalue.
import { fail, RPC_CODE, TypeFault } from './errors.js';
import { JsonNumber, JsonObject, type JsonValue, typeName } from './wire/values.js';

/** Largest possible amount in satoshis. */
export const MAX_MONEY = 2_100_000_000_000_000;

const NAMED = { string: 'a string', bool: 'a boolean', array: 'an array', object: 'an object', number: 'a number' } as const;

/** Error text of releases since 25 for a value whose type is not the declared one. */
export const otherType = (value: JsonValue | undefined, type: string): string =>
  `JSON value of type ${typeName(value)} is not of expected type ${type}`;

const wrong = (value: JsonValue | undefined, type: keyof typeof NAMED, words: string = NAMED[type]): never => {
  throw new TypeFault(RPC_CODE.MISC_ERROR, `JSON value is not ${words} as expected`, otherType(value, type));
};

export function asString(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : wrong(value, 'string');
}

export function asBool(value: JsonValue | undefined): boolean {
  return typeof value === 'boolean' ? value : wrong(value, 'bool');
}

export function asArray(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : wrong(value, 'array');
}

export function asObject(value: JsonValue | undefined): JsonObject {
  return value instanceof JsonObject ? value : wrong(value, 'object');
}

function integer(value: JsonValue | undefined, min: bigint, max: bigint): bigint {
  if (!(value instanceof JsonNumber)) return wrong(value, 'number', 'an integer');
  if (value.text.length > 20 || !/^-?\d+$/.test(value.text)) fail(RPC_CODE.MISC_ERROR, 'JSON integer out of range');
  const number = BigInt(value.text);
  // Unsigned types accept no sign, not even of zero.
  const signed = min === 0n && value.text.startsWith('-');
  return signed || number < min || number > max ? fail(RPC_CODE.MISC_ERROR, 'JSON integer out of range') : number;
}

/** Reads a 32-bit signed integer. `1.0` and `1e3` are out of range, as in Core. */
export function asInt(value: JsonValue | undefined): number {
  return Number(integer(value, -0x8000_0000n, 0x7fff_ffffn));
}

/** Reads a 32-bit unsigned integer. */
export function asUint32(value: JsonValue | undefined): number {
  return Number(integer(value, 0n, 0xffff_ffffn));
}

/** Reads a 64-bit signed integer. */
export function asInt64(value: JsonValue | undefined): bigint {
  return integer(value, -0x8000_0000_0000_0000n, 0x7fff_ffff_ffff_ffffn);
}

/**
 * Reads a 64-bit signed integer from -`limit` to `limit`, so that it is exact as a number. All other integers cause the
 * same error as integers beyond 64 bits.
 */
export function asInt64Within(value: JsonValue | undefined, limit: number): number {
  return Number(integer(value, -BigInt(limit), BigInt(limit)));
}

export function asDouble(value: JsonValue | undefined): number {
  if (!(value instanceof JsonNumber)) return wrong(value, 'number');
  const number = Number(value.text);
  return Number.isFinite(number) ? number : fail(RPC_CODE.MISC_ERROR, 'JSON double out of range');
}

/** Types as Core's -3 messages name them. */
export type CheckedType = 'string' | 'number' | 'bool' | 'array' | 'object' | 'null';

/** Checks the type of a value. @throws RpcError with -3 `Expected type string, got number` */
export function checkType(value: JsonValue | undefined, type: CheckedType, allowNull = false): void {
  const got = typeName(value);
  if (got === type || (allowNull && got === 'null')) return;
  throw new TypeFault(RPC_CODE.TYPE_ERROR, `Expected type ${type}, got ${got}`, otherType(value, type));
}

/** Checks the types of the first arguments (Core's RPCTypeCheck). A type of null allows any value. */
export function checkTypes(args: readonly JsonValue[], types: readonly (CheckedType | null)[], allowNull = false): void {
  for (let i = 0; i < types.length && i < args.length; i++) {
    const type = types[i];
    if (type) checkType(args[i], type, allowNull);
  }
}

/**
 * Checks the types of members (Core's RPCTypeCheckObj): `Missing k`, `Expected type string for k, got number`, and with
 * `strict` also `Unexpected key k`.
 */
export function checkMembers(
  object: JsonObject,
  types: Readonly<Record<string, CheckedType | null>>,
  options: { allowNull?: boolean; strict?: boolean } = {},
): void {
  for (const [key, type] of Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const value = object.get(key);
    const got = typeName(value);
    if (!options.allowNull && got === 'null') fail(RPC_CODE.TYPE_ERROR, `Missing ${key}`);
    if (type && got !== type && !(options.allowNull && got === 'null')) {
      const later = `JSON value of type ${got} for field ${key} is not of expected type ${type}`;
      throw new TypeFault(RPC_CODE.TYPE_ERROR, `Expected type ${type} for ${key}, got ${got}`, later);
    }
  }
  if (!options.strict) return;
  for (const key of object.keys) if (!Object.hasOwn(types, key)) fail(RPC_CODE.TYPE_ERROR, `Unexpected key ${key}`);
}

// Matches what is not a hex digit. Needed because Buffer's decoder would use the low byte of wide characters as digits.
const NOT_HEX = /[^0-9a-fA-F]/;
const isHexText = (text: string) => text.length % 2 === 0 && !NOT_HEX.test(text);

/**
 * Decoded bytes of at least this size need no copy: they have memory of their own, because Node.js's pool of small
 * buffers does not hold so many bytes.
 */
const OWN_MEMORY = 65_536;

/** Decodes hex. @returns null if the text is not an even number of digits, at least two (Core's IsHex) */
export function hexBytes(text: string): Uint8Array | null {
  // A block has millions of digits. The decoder stops at the first character that is not a digit, but would use the low
  // byte of a wide character as one.
  if (text.length === 0 || text.length % 2 !== 0 || Buffer.byteLength(text) !== text.length) return null;
  const bytes = Buffer.from(text, 'hex');
  if (bytes.length * 2 !== text.length) return null;
  return bytes.length < OWN_MEMORY ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Reads a hash of 64 hex digits (Core's ParseHashV). @returns lower-case hex, in display order */
export function asHashHex(value: JsonValue | undefined, name: string): string {
  const text = asString(value);
  // Core counts bytes, not characters.
  const length = Buffer.byteLength(text);
  if (length !== 64) fail(RPC_CODE.INVALID_PARAMETER, `${name} must be of length 64 (not ${length}, for '${text}')`);
  if (!isHexText(text)) fail(RPC_CODE.INVALID_PARAMETER, `${name} must be hexadecimal string (not '${text}')`);
  return text.toLowerCase();
}

/** Reads a hash of 64 hex digits. @returns 32 bytes in internal order */
export function asHash(value: JsonValue | undefined, name: string): Uint8Array {
  return new Uint8Array(Buffer.from(asHashHex(value, name), 'hex').reverse());
}

/**
 * Reads hex of any length (Core's ParseHexV).
 * @throws RpcError with -8 `<name> must be hexadecimal string (not '…')`
 */
export function asHex(value: JsonValue | undefined, name: string): Uint8Array {
  const text = typeof value === 'string' ? value : '';
  return hexBytes(text) ?? fail(RPC_CODE.INVALID_PARAMETER, `${name} must be hexadecimal string (not '${text}')`);
}

/** Reads an amount from a number or a string in BTC (Core's AmountFromValue). @returns satoshis */
export function asAmount(value: JsonValue | undefined, decimals = 8): number {
  const text = value instanceof JsonNumber ? value.text : value;
  if (typeof text !== 'string') return fail(RPC_CODE.TYPE_ERROR, 'Amount is not a number or string');
  const sats = parseFixedPoint(text, decimals) ?? fail(RPC_CODE.TYPE_ERROR, 'Invalid amount');
  if (sats < 0n || sats > BigInt(MAX_MONEY)) fail(RPC_CODE.TYPE_ERROR, 'Amount out of range');
  return Number(sats);
}

const FIXED = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** The digit 0 in ASCII. */
const ZERO = 0x30;

/**
 * Parses a decimal number as an integer with `decimals` decimals: at most 18 digits, nothing smaller than one unit
 * (Core's ParseFixedPoint).
 * @returns null if the text is no such number
 */
export function parseFixedPoint(text: string, decimals: number): bigint | null {
  const match = FIXED.exec(text);
  if (!match) return null;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  if (power.length > 19) return null;
  const digits = (whole === '0' ? '' : whole) + fraction;
  // Remove trailing zeros by a loop. A regular expression would start again at each run of zeros, in quadratic time.
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end--;
  let start = 0;
  while (start < end && digits.charCodeAt(start) === ZERO) start++;
  const mantissa = digits.slice(start, end);
  if (mantissa.length > 18) return null;
  const exponent = Number(power) - fraction.length + (digits.length - end) + decimals;
  if (exponent < 0 || exponent >= 18 || (mantissa !== '' && mantissa.length + exponent > 18)) return null;
  const value = BigInt(mantissa || '0') * 10n ** BigInt(exponent);
  return sign ? -value : value;
}
