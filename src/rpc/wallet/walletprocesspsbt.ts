// walletprocesspsbt: adds what a wallet knows and signs what it can. Core 0.21: wallet/rpcwallet.cpp.
import type { FillFault } from '../../wallet/fill-psbt.js';
import { fail, RPC_CODE } from '../errors.js';

/** Core's errors for what stands in the way. */
export function failFill(fault: FillFault): never {
  if (fault === 'missing inputs') return fail(RPC_CODE.VERIFY_ERROR, 'Inputs missing or spent');
  return fail(RPC_CODE.DESERIALIZATION_ERROR, 'Specified sighash value does not match value stored in PSBT');
}
