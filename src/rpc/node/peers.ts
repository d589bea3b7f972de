// Shared by methods that control peers and addresses.
import { asString } from '../args.js';
import type { NodeContext } from '../context/node.js';
import type { MethodSpec } from '../declare/types.js';
import { versioned } from '../declare/versions.js';
import { fail, RPC_CODE } from '../errors.js';
import { renderHelp } from '../help.js';
import type { JsonValue } from '../wire/values.js';

/** Reads a command argument. For an unknown command Core answers with the help page of the method. */
export function commandOf<const W extends string>({ compat }: NodeContext, value: JsonValue, spec: MethodSpec, words: readonly W[]): W {
  const command = value === null ? '' : asString(value);
  const known = words.find((word) => word === command);
  if (known !== undefined) return known;
  return fail(RPC_CODE.MISC_ERROR, renderHelp(versioned(spec, compat)));
}
