// Parses the transaction of decoderawtransaction.
import { DecodeError } from '../../consensus/bytes/reader.js';
import { parseTxLenient } from '../../consensus/tx/parse-lenient.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { asBool, asString, hexBytes } from '../args.js';
import { fail, RPC_CODE } from '../errors.js';
import type { JsonValue } from '../wire/values.js';

/** Returns the transaction that decoderawtransaction shows. @throws RpcError */
export function txToDecode(args: readonly JsonValue[], hashes: Hashes): TxView {
  const wanted: JsonValue = args[1] ?? null;
  const tryWitness = wanted === null || asBool(wanted);
  const tryNoWitness = wanted === null || !tryWitness;
  const bytes = hexBytes(asString(args[0])) ?? fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed');
  try {
    return parseTxLenient(bytes, hashes, { tryWitness, tryNoWitness });
  } catch (error) {
    if (error instanceof DecodeError) return fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed');
    throw error;
  }
}
