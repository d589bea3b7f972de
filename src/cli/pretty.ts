// Formats JSON for people: two spaces per level, numbers as received. The layout is univalue's, so that scripts see the
// output of bitcoin-cli.
import { encodeString } from '../rpc/wire/json-write.js';
import { JsonNumber, JsonObject, type JsonValue } from '../rpc/wire/values.js';

/** Returns indented JSON without a line feed at the end. */
export function prettyJson(value: JsonValue, depth = 1): string {
  const inner = '  '.repeat(depth);
  const outer = '  '.repeat(depth - 1);
  if (value === null) return 'null';
  if (typeof value === 'string') return encodeString(value);
  if (typeof value === 'boolean') return String(value);
  if (value instanceof JsonNumber) return value.text;
  if (value instanceof JsonObject) {
    const members = value.keys.map((key, index) => `${inner}${encodeString(key)}: ${prettyJson(value.values[index]!, depth + 1)}`);
    return members.length === 0 ? `{\n${outer}}` : `{\n${members.join(',\n')}\n${outer}}`;
  }
  return value.length === 0 ? `[\n${outer}]` : `[\n${value.map((item) => inner + prettyJson(item, depth + 1)).join(',\n')}\n${outer}]`;
}
