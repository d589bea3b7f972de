// Shared by methods that fill PSBTs. Core 0.21: wallet/rpcwallet.cpp.
import type { FillFault } from '../../wallet/index.js';
import { fail, RPC_CODE } from '../errors.js';

/** Throws Core's error for a fault. @throws RpcError */
export function failFill(fault: FillFault): never {
  if (fault === 'missing inputs') return fail(RPC_CODE.VERIFY_ERROR, 'Inputs missing or spent');
  return fail(RPC_CODE.DESERIALIZATION_ERROR, 'Specified sighash value does not match value stored in PSBT');
}
