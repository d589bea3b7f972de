// Converts the words of a command line to JSON parameters: arguments that the method declares as text stay text, all
// others are parsed as JSON.
import type { ArgSpec, MethodSpec } from '../rpc/declare/types.js';
import { parseJson } from '../rpc/wire/json-parse.js';
import { JsonObject, type JsonValue } from '../rpc/wire/values.js';

/** Name of the list of positional arguments among named ones. */
const POSITIONAL = 'args';

const isText = (arg: ArgSpec | undefined): boolean => arg === undefined || arg.type === 'str' || arg.type === 'hex';

/**
 * Returns whether an argument is an object or a text, such as submitblock's second argument: it is parsed as JSON if it
 * is valid JSON.
 */
const mayBeText = (arg: ArgSpec | undefined): boolean => arg?.type === 'obj' && (arg.typeWords?.includes('string') ?? false);

function read(word: string, arg: ArgSpec | undefined): JsonValue {
  if (isText(arg)) return word;
  try {
    return parseJson(new TextEncoder().encode(word));
  } catch {
    if (mayBeText(arg)) return word;
    throw new Error(`Error parsing JSON: ${word}`);
  }
}

/** Returns the argument with this name, or the member of an options argument that callers may name directly. */
function findArgument(spec: MethodSpec | undefined, name: string): ArgSpec | undefined {
  const isNamed = (arg: ArgSpec): boolean => arg.name.split('|').includes(name);
  const members = spec?.args.flatMap((arg) => (arg.namedMembers ? (arg.inner ?? []) : [])) ?? [];
  return spec?.args.find(isNamed) ?? members.find(isNamed);
}

/**
 * Returns the value of a word that contains `=` but does not begin with the name of an argument, if the argument at the
 * next position can be such a value; undefined: the word is a named argument.
 */
function positionalValue(word: string, arg: ArgSpec | undefined): JsonValue | undefined {
  if (arg === undefined || arg.type === 'hex') return undefined;
  try {
    return read(word, arg);
  } catch {
    return undefined;
  }
}

/**
 * Converts words to parameters. With `named`, words are name=value. Others become the list `args`, which the node puts
 * before the named arguments. If a name occurs twice, the last value counts.
 * @param spec declaration of the method; undefined: all words stay text
 */
export function convertArguments(spec: MethodSpec | undefined, words: readonly string[], named: boolean): JsonValue[] | JsonObject {
  if (!named) return words.map((word, index) => read(word, spec?.args[index]));
  const values = new Map<string, JsonValue>();
  const positional: JsonValue[] = [];
  for (const word of words) {
    const split = word.indexOf('=');
    const next = spec?.args[positional.length];
    if (split < 0) {
      positional.push(read(word, next));
      continue;
    }
    const name = word.slice(0, split);
    const arg = findArgument(spec, name);
    const value = arg === undefined && name !== POSITIONAL ? positionalValue(word, next) : undefined;
    if (value === undefined) values.set(name, read(word.slice(split + 1), arg));
    else positional.push(value);
  }
  const more = positional.length > 0 ? ([[POSITIONAL, positional]] as const) : [];
  const entries = [...values, ...more];
  return new JsonObject(
    entries.map(([name]) => name),
    entries.map(([, value]) => value),
  );
}
