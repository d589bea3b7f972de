// Turns a declaration into the types of its run function, and the arguments of a call into typed parameters.
// A parameter is converted when it is read, so the order in which a run function reads its parameters (for example, the
// order in its destructuring pattern) is the order of the errors that a client sees. It must be that of Core's handler.

import { shows } from '../../policy/compat.js';
import {
  asAmount,
  asArray,
  asBool,
  asDouble,
  asHash,
  asHashHex,
  asHex,
  asInt,
  asInt64,
  asObject,
  asString,
  asUint32,
  checkType,
} from '../args.js';
import { fail } from '../errors.js';
import type { PendingRead } from '../reads/read-job.js';
import type { TakenSecrets } from '../wire/taken-secrets.js';
import { type Amount, type Double, JsonNumber, JsonObject, type JsonResult, type JsonValue } from '../wire/values.js';
import { isOptional, JSON_TYPES } from './arg-types.js';
import type { ArgSpec, MethodSpec, ReadAs } from './types.js';
import type { VersionedMethod } from './versions.js';

/** Types of parameters by the way in which they are read. */
interface ReadTypes {
  readonly bool: boolean;
  readonly int: number;
  readonly uint32: number;
  readonly int64: bigint;
  readonly double: number;
  readonly string: string;
  /** 32 bytes in internal order. */
  readonly hash: Uint8Array;
  /** Lower-case hex in display order. */
  readonly 'hash hex': string;
  readonly bytes: Uint8Array;
  /** Bytes that the run function must wipe. */
  readonly passphrase: Uint8Array;
  /** Satoshis. */
  readonly amount: number;
  readonly array: JsonValue[];
  readonly object: JsonObject;
  /** The value as it was sent; null if it is missing. */
  readonly json: JsonValue;
}

/** How a type of argument is read, unless the declaration says otherwise. */
const READ_AS = {
  str: 'string',
  hex: 'string',
  num: 'int',
  bool: 'bool',
  amount: 'amount',
  range: 'json',
  obj: 'object',
  'obj-user-keys': 'object',
  arr: 'array',
} as const satisfies Record<ArgSpec['type'], ReadAs>;

type ReadAsOf<A extends ArgSpec> = A extends { readonly as: infer R extends ReadAs }
  ? R
  : A extends { readonly anyType: true }
    ? 'json'
    : (typeof READ_AS)[A['type']];

/** Texts of defaults that are values, by the way in which a parameter is read. All others only describe a default. */
interface DefaultTexts {
  readonly bool: 'true' | 'false';
  readonly int: `${bigint}`;
  readonly uint32: `${bigint}`;
  readonly int64: `${bigint}`;
  readonly double: `${number}`;
  readonly string: `"${string}"`;
  readonly hash: never;
  readonly 'hash hex': never;
  readonly bytes: never;
  readonly passphrase: never;
  readonly amount: `${number}`;
  readonly array: '[]' | 'empty array';
  readonly object: '{}';
  readonly json: never;
}

type Absent<A extends ArgSpec> =
  ReadAsOf<A> extends 'json'
    ? never
    : A extends { readonly seesAbsence: true }
      ? undefined
      : A extends { readonly default: infer D }
        ? D extends DefaultTexts[ReadAsOf<A>] | OneOf<A>
          ? never
          : undefined
        : A extends { readonly optional: true }
          ? undefined
          : never;

type OneOf<A extends ArgSpec> = A extends { readonly oneOf: readonly (infer V extends string)[] } ? V : never;
type Present<A extends ArgSpec> = A extends { readonly oneOf: readonly (infer V extends string)[] } ? V : ReadTypes[ReadAsOf<A>];
type Key<A extends ArgSpec> = A['name'] extends `${infer First}|${string}` ? First : A['name'];

/** Parameters of a method: one property for each argument, by its first name. */
export type ParametersOf<S extends Pick<MethodSpec, 'args'>> = Parameters & {
  readonly [A in S['args'][number] as Key<A>]: Present<A> | Absent<A>;
};

/** Types of results by their declared type. Members of objects are not checked. */
interface ResultTypes {
  readonly str: string;
  readonly hex: string;
  readonly num: number | bigint | Double | JsonNumber;
  readonly 'num-time': number | bigint;
  readonly amount: Amount;
  readonly bool: boolean;
  readonly none: null;
  readonly obj: JsonResult;
  readonly 'obj-dyn': JsonResult;
  readonly arr: JsonResult;
  readonly 'arr-fixed': JsonResult;
  readonly elision: JsonResult;
}

/** Result of a method's run function: of the declared type, or a read that another thread renders. */
export type ResultOf<S extends Pick<MethodSpec, 'results'>> = S['results'] extends readonly []
  ? JsonResult
  : ResultTypes[S['results'][number]['type']] | PendingRead;

/** Where a call's passphrases are: they were taken out of the request before it was parsed. */
interface CallSecrets {
  readonly taken?: TakenSecrets | undefined;
  readonly index?: number | undefined;
}

/** Parameters of a call. Each method has a subclass with a property for each of its arguments. */
export class Parameters {
  /** The positional arguments as they were sent, for code that passes them on and for Core's RPCTypeCheck. */
  readonly args: readonly JsonValue[];
  readonly #secrets: CallSecrets;

  constructor(args: readonly JsonValue[], secrets: CallSecrets = {}) {
    this.args = args;
    this.#secrets = secrets;
  }

  /** Returns the passphrase at a position. As in Core 0.21 it ends at the first NUL. */
  passphraseAt(at: number): Uint8Array {
    const taken = this.#secrets.taken?.passphrase(this.#secrets.index ?? 0, at);
    if (taken) return taken;
    const text = asString(this.args[at]);
    const end = text.indexOf('\0');
    return new TextEncoder().encode(end < 0 ? text : text.slice(0, end));
  }
}

/** Returns the name of the property of an argument. */
const keyOf = ({ name }: ArgSpec): string => name.split('|', 1)[0]!;

const READERS: { readonly [R in Exclude<ReadAs, 'passphrase'>]: (value: JsonValue | undefined, name: string) => ReadTypes[R] } = {
  bool: asBool,
  int: asInt,
  uint32: asUint32,
  int64: asInt64,
  double: asDouble,
  string: asString,
  hash: asHash,
  'hash hex': asHashHex,
  bytes: asHex,
  amount: (value) => asAmount(value),
  array: asArray,
  object: asObject,
  json: (value) => value ?? null,
};

/** Returns the value of a default; undefined if its text only describes it. */
function defaultValue(arg: ArgSpec, as: ReadAs): unknown {
  const text = arg.default;
  if (text === undefined || arg.seesAbsence) return undefined;
  if (arg.oneOf?.includes(text)) return text;
  switch (as) {
    case 'bool':
      return text === 'true' || text === 'false' ? text === 'true' : undefined;
    case 'int':
    case 'uint32':
    case 'int64':
      return /^-?\d+$/.test(text) ? READERS[as](new JsonNumber(text), '') : undefined;
    case 'double':
    case 'amount':
      return /^-?\d+(\.\d+)?$/.test(text) ? READERS[as](new JsonNumber(text), '') : undefined;
    case 'string':
      return /^".*"$/.test(text) ? text.slice(1, -1) : undefined;
    case 'array':
      return text === '[]' || text === 'empty array' ? [] : undefined;
    case 'object':
      return text === '{}' ? new JsonObject([], []) : undefined;
    default:
      return undefined;
  }
}

/** Returns the function that reads a parameter. */
function readerOf(arg: ArgSpec, as: Exclude<ReadAs, 'passphrase'>): (value: JsonValue | undefined) => unknown {
  const read = READERS[as];
  if (as === 'json') return (value) => value ?? null;
  const name = arg.errorName ?? keyOf(arg);
  const preset = defaultValue(arg, as);
  const { oneOf, refusal } = arg;
  const checked = arg.checked ? JSON_TYPES[arg.type] : undefined;
  return (value) => {
    if (isOptional(arg) && (value ?? null) === null) return preset;
    if (checked) checkType(value, checked);
    const found = read(value, name);
    if (oneOf && refusal && !oneOf.includes(found as string))
      fail(
        refusal.code,
        refusal.text.replace('%s', () => found as string),
      );
    return found;
  };
}

type ParametersClass = typeof Parameters;
type Declared = MethodSpec & Partial<Pick<VersionedMethod, 'compat' | 'declared'>>;

const classes = new WeakMap<MethodSpec, ParametersClass>();

/** Returns the class of a method's parameters. Arguments that the release does not have are always absent. */
function classOf(spec: Declared): ParametersClass {
  const { compat, declared = spec } = spec;
  class Own extends Parameters {}
  let shown = 0;
  for (const arg of declared.args) {
    const at = compat === undefined || shows(compat, arg) ? shown++ : -1;
    Object.defineProperty(Own.prototype, keyOf(arg), { get: getterOf(arg, at) });
  }
  return Own;
}

function getterOf(arg: ArgSpec, at: number): (this: Parameters) => unknown {
  const as = arg.as ?? (arg.anyType ? 'json' : READ_AS[arg.type]);
  if (as !== 'passphrase') {
    const read = readerOf(arg, as);
    return function (this: Parameters) {
      return read(this.args[at]);
    };
  }
  return function (this: Parameters) {
    return isOptional(arg) && (this.args[at] ?? null) === null ? undefined : this.passphraseAt(at);
  };
}

/** Returns the parameters of a call. @param args checked by toArguments() */
export function parametersOf(spec: Declared, args: readonly JsonValue[], secrets?: CallSecrets): Parameters {
  let made = classes.get(spec);
  if (made === undefined) classes.set(spec, (made = classOf(spec)));
  return new made(args, secrets);
}

/** Declares a method. Keeps the literal types, from which the types of its run function follow. */
export const declare = <const S extends MethodSpec>(spec: S): S => spec;
