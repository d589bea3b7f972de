// Converts the words of a command line to JSON parameters: arguments that the method declares as text stay text, all
// others are parsed as JSON.
import type { ArgSpec, MethodSpec } from '../rpc/declare/types.js';
import { parseJson } from '../rpc/wire/json-parse.js';
import { JsonObject, type JsonValue } from '../rpc/wire/values.js';

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

/**
 * Converts words to parameters.
 * @param spec declaration of the method; undefined: all words stay text
 * @param named whether the words are name=value
 */
export function convertArguments(spec: MethodSpec | undefined, words: readonly string[], named: boolean): JsonValue[] | JsonObject {
  if (!named) return words.map((word, index) => read(word, spec?.args[index]));
  const keys: string[] = [];
  const values: JsonValue[] = [];
  for (const word of words) {
    const split = word.indexOf('=');
    if (split < 0) throw new Error(`No '=' in named argument '${word}', this needs to be present for every argument (even if it is empty)`);
    const name = word.slice(0, split);
    const arg = spec?.args.find((one) => one.name.split('|').includes(name));
    keys.push(name);
    values.push(read(word.slice(split + 1), arg));
  }
  return new JsonObject(keys, values);
}
