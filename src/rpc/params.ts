// Converts the params of a request to positional arguments by the declaration, as Core does: resolves names and
// aliases, checks the number of arguments (the error message is the help page), then checks types. In 0.21 the last
// value of a repeated name counts, and types are checked here only where the declaration says so. Since release 25
// (Compat.strictArguments) a repeated name is refused, and so are all arguments of the wrong type. Since 26 the members
// of an options argument may be named like arguments, and a list named `args` gives the first arguments.
import { follows } from '../policy/compat.js';
import { type CheckedType, checkTypes, otherType } from './args.js';
import { isOptional, JSON_TYPES } from './declare/arg-types.js';
import type { ArgSpec, MethodSpec } from './declare/types.js';
import type { VersionedMethod } from './declare/versions.js';
import { fail, RPC_CODE } from './errors.js';
import { encodeString } from './wire/json-write.js';
import { JsonObject, type JsonValue, typeName } from './wire/values.js';

/** Returns the first name of an argument. */
export const firstName = (arg: ArgSpec): string => arg.name.split('|', 1)[0]!;

type Declared = MethodSpec & Partial<Pick<VersionedMethod, 'compat'>>;

const twice = (name: string): never => fail(RPC_CODE.INVALID_PARAMETER, `Parameter ${name} specified multiple times`);

/** Removes and returns the value given under one of an argument's names. */
function takeArgument(left: Map<string, JsonValue>, { name: names }: ArgSpec): { name: string; value: JsonValue } | undefined {
  const name = names.split('|').find((alias) => left.has(alias));
  if (name === undefined) return undefined;
  const value = left.get(name)!;
  left.delete(name);
  return { name, value };
}

/**
 * Returns named arguments in the order of the declaration. Missing arguments in between become null, missing ones at
 * the end are dropped.
 */
function positional({ args, compat }: Declared, named: JsonObject): JsonValue[] {
  const mixed = compat !== undefined && follows(compat, 26);
  const left = new Map<string, JsonValue>();
  for (const [i, key] of named.keys.entries()) {
    if (left.has(key) && compat?.strictArguments) twice(key);
    left.set(key, named.values[i]!);
  }
  const out: JsonValue[] = [];
  let first: { at: number; name: string } | undefined;
  for (const [at, arg] of args.entries()) {
    const members = mixed && arg.namedMembers ? (arg.inner ?? []).flatMap((member) => takeArgument(left, member) ?? []) : [];
    const given = takeArgument(left, arg);
    if (given === undefined && members.length === 0) continue;
    if (given !== undefined && members.length > 0) {
      fail(RPC_CODE.INVALID_PARAMETER, `Parameter ${given.name} conflicts with parameter ${members[0]!.name}`);
    }
    while (out.length < at) out.push(null);
    const names = members.map(({ name }) => name);
    const values = members.map(({ value }) => value);
    out.push(given === undefined ? new JsonObject(names, values) : given.value);
    first ??= { at, name: arg.name };
  }
  const leading = mixed ? left.get('args') : undefined;
  if (leading !== undefined) left.delete('args');
  if (Array.isArray(leading)) {
    if (first !== undefined && first.at < leading.length) {
      fail(RPC_CODE.INVALID_PARAMETER, `Parameter ${first.name} specified twice both as positional and named argument`);
    }
    out.splice(0, leading.length, ...leading);
  }
  for (const name of left.keys()) fail(RPC_CODE.INVALID_PARAMETER, `Unknown named parameter ${name}`);
  return out;
}

/** Checks that every call of a method needs, computed once per method. */
interface Demands {
  /** Number of arguments up to the last required one. */
  readonly required: number;
  readonly types: readonly (CheckedType | null)[];
}

const demands = new WeakMap<MethodSpec, Demands>();

function demandsOf(spec: MethodSpec): Demands {
  let found = demands.get(spec);
  if (found === undefined) {
    found = { required: spec.args.findLastIndex((arg) => !isOptional(arg)) + 1, types: spec.args.map(typeOf) };
    demands.set(spec, found);
  }
  return found;
}

const typeOf = ({ type, anyType }: ArgSpec): CheckedType | null => (anyType ? null : (JSON_TYPES[type] ?? null));

/** Checks the types of all arguments. @throws RpcError that lists all wrong ones */
function checkAllTypes(spec: MethodSpec, args: readonly JsonValue[]): void {
  const faults: string[] = [];
  for (const [i, arg] of spec.args.entries()) {
    const wanted = typeOf(arg);
    const got = typeName(args[i]);
    if (wanted === null || wanted === got || (got === 'null' && isOptional(arg))) continue;
    faults.push(`    ${encodeString(`Position ${i + 1} (${arg.name})`)}: ${encodeString(otherType(args[i], wanted))}`);
  }
  if (faults.length > 0) fail(RPC_CODE.TYPE_ERROR, `Wrong type passed:\n{\n${faults.join(',\n')}\n}`);
}

/**
 * Returns the positional arguments of a request, checked.
 * @param helpPage returns the error message if their number is wrong
 * @throws RpcError
 */
export function toArguments(
  spec: Declared,
  params: readonly JsonValue[] | JsonObject,
  helpPage: (spec: MethodSpec) => string,
): readonly JsonValue[] {
  const args = params instanceof JsonObject ? positional(spec, params) : params;
  const { required, types } = demandsOf(spec);
  if (args.length < required || args.length > spec.args.length) fail(RPC_CODE.MISC_ERROR, helpPage(spec));
  if (spec.compat?.strictArguments) checkAllTypes(spec, args);
  else if (spec.checks) checkTypes(args, types, spec.checks === 'types or null');
  return args;
}
