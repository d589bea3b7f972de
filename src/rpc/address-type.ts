// Parses the address type that a call requests.
import { SCRIPT_ADDRESS_TYPES, type ScriptAddressType } from '../address/multisig.js';
import { asString } from './args.js';
import { fail, RPC_CODE } from './errors.js';
import type { JsonValue } from './wire/values.js';

/** Parses an address type that every wallet supports. @param what the word before "type" in the error message */
export function asAddressType(value: JsonValue, what = 'address'): ScriptAddressType {
  const text = asString(value);
  return SCRIPT_ADDRESS_TYPES.find((type) => type === text) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Unknown ${what} type '${text}'`);
}
