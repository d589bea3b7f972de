// Parses the transaction of decoderawtransaction.
import { DecodeError } from '../../consensus/bytes/reader.js';
import { parseTxLenient } from '../../consensus/tx/parse-lenient.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { hexBytes } from '../args.js';
import type { ParametersOf } from '../declare/parameters.js';
import { fail, RPC_CODE } from '../errors.js';
import type { decoderawtransaction } from '../methods/rawtransactions/decoderawtransaction.spec.js';

/** Returns the transaction that decoderawtransaction shows. @throws RpcError */
export function txToDecode(params: ParametersOf<typeof decoderawtransaction>, hashes: Hashes): TxView {
  const { iswitness } = params;
  const tryWitness = iswitness ?? true;
  const tryNoWitness = !(iswitness ?? false);
  const bytes = hexBytes(params.hexstring) ?? fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed');
  try {
    return parseTxLenient(bytes, hashes, { tryWitness, tryNoWitness });
  } catch (error) {
    if (error instanceof DecodeError) return fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed');
    throw error;
  }
}
