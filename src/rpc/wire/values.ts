// JSON values of requests and results. Numbers keep their text and objects keep repeated members, so that an id or the
// result of echo returns byte for byte.

import type { PendingRead } from '../reads/read-job.js';

/** A number, with its text in the request. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An object with its members in order, including repeated ones. Lookups use the first (univalue's find_value). */
export class JsonObject {
  readonly keys: readonly string[];
  /** Values in the order of `keys`. */
  readonly values: readonly JsonValue[];

  constructor(keys: readonly string[], values: readonly JsonValue[]) {
    this.keys = keys;
    this.values = values;
  }

  /** Returns the first member with this name, or undefined. */
  get(key: string): JsonValue | undefined {
    const at = this.keys.indexOf(key);
    return at < 0 ? undefined : this.values[at];
  }

  has(key: string): boolean {
    return this.keys.includes(key);
  }

  get size(): number {
    return this.keys.length;
  }
}

export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject;

/** An amount in satoshis, printed in BTC with eight decimals. */
export class Amount {
  readonly sats: number | bigint;
  constructor(sats: number | bigint) {
    this.sats = sats;
  }
}

/** A floating point number, printed like C's %.16g even when it is whole. */
export class Double {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** JSON text that is already encoded. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Encoded JSON as bytes, in parts. */
export class RawBytes {
  readonly parts: readonly Uint8Array[];
  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts;
  }

  get text(): string {
    return Buffer.concat(this.parts).toString();
  }

  /** The bytes if they lie in shared memory, so that several replies can contain them; otherwise null. */
  get sharedPart(): Uint8Array | null {
    const [first] = this.parts;
    return this.parts.length === 1 && first.buffer instanceof SharedArrayBuffer ? first : null;
  }
}

/** Result of a method. Members that are undefined are omitted; whole numbers print as integers. */
export type JsonResult =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonNumber
  | JsonObject
  | Amount
  | Double
  | RawJson
  | RawBytes
  | PendingRead
  | readonly JsonResult[]
  | { readonly [key: string]: JsonResult | undefined };

/** Returns the name of a type as Core's messages print it (univalue's uvTypeName). */
export function typeName(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (value instanceof JsonNumber) return 'number';
  return Array.isArray(value) ? 'array' : 'object';
}
