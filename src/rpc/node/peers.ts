// Shared by methods that control peers and addresses.
import { asString } from '../args.js';
import type { NodeContext } from '../context/node.js';
import { methodsOf } from '../declare/methods.js';
import { fail, RPC_CODE } from '../errors.js';
import { renderHelp } from '../help.js';
import type { JsonValue } from '../wire/values.js';

/** Reads a command argument. For an unknown command Core answers with the help page of the method. */
export function commandOf({ compat }: NodeContext, value: JsonValue | undefined, method: string, words: readonly string[]): string {
  const command = value === null || value === undefined ? '' : asString(value);
  if (words.includes(command)) return command;
  const spec = methodsOf(true, compat).get(method);
  return fail(RPC_CODE.MISC_ERROR, spec === undefined ? '' : renderHelp(spec));
}
