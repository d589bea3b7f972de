// Parses the address type that a call requests.
import { SCRIPT_ADDRESS_TYPES, type ScriptAddressType } from '../address/multisig.js';
import { fail, RPC_CODE } from './errors.js';

/** Parses an address type that every wallet supports. @param what the word before "type" in the error message */
export function asAddressType(text: string, what = 'address'): ScriptAddressType {
  return SCRIPT_ADDRESS_TYPES.find((type) => type === text) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Unknown ${what} type '${text}'`);
}
