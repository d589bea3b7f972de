// Turns a request's params into positional arguments, as Core 0.21 does: named ones by the declaration's names and
// aliases, last duplicate wins, unknown names refused; then the count check, whose message is the help page.
import type { ArgSpec, MethodSpec } from './declare/types.js';
import { fail, RPC_CODE } from './errors.js';
import { JsonObject, type JsonValue } from './wire/values.js';

/** Whether an argument may be left out. */
export const isOptional = (arg: ArgSpec): boolean => arg.optional === true || arg.default !== undefined;

/** The first of an argument's names. */
export const firstName = (arg: ArgSpec): string => arg.name.split('|', 1)[0]!;

/** Named arguments in the method's order: missing middle ones become null, missing last ones are dropped. */
function positional(spec: MethodSpec, named: JsonObject): JsonValue[] {
  const left = new Map<string, JsonValue>();
  for (const [i, key] of named.keys.entries()) left.set(key, named.values[i]!);
  const out: JsonValue[] = [];
  let holes = 0;
  for (const arg of spec.args) {
    const name = arg.name.split('|').find((alias) => left.has(alias));
    if (name === undefined) {
      holes++;
      continue;
    }
    for (; holes > 0; holes--) out.push(null);
    out.push(left.get(name)!);
    left.delete(name);
  }
  for (const name of left.keys()) fail(RPC_CODE.INVALID_PARAMETER, `Unknown named parameter ${name}`);
  return out;
}

const required = new WeakMap<MethodSpec, number>();

/** Arguments up to the last one that must be there. */
function requiredOf(spec: MethodSpec): number {
  let count = required.get(spec);
  if (count === undefined) {
    count = spec.args.findLastIndex((arg) => !isOptional(arg)) + 1;
    required.set(spec, count);
  }
  return count;
}

/** Positional arguments, counted. @param helpPage called only when the count is wrong */
export function toArguments(
  spec: MethodSpec,
  params: readonly JsonValue[] | JsonObject,
  helpPage: (spec: MethodSpec) => string,
): readonly JsonValue[] {
  const args = params instanceof JsonObject ? positional(spec, params) : params;
  if (args.length < requiredOf(spec) || args.length > spec.args.length) fail(RPC_CODE.MISC_ERROR, helpPage(spec));
  return args;
}
