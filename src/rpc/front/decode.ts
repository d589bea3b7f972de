// Parses the arguments of decoderawtransaction and converttopsbt.
import { DecodeError } from '../../consensus/bytes/reader.js';
import { parseTxLenient } from '../../consensus/tx/parse-lenient.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { hexBytes } from '../args.js';
import { fail, RPC_CODE } from '../errors.js';
import type { DecodeContext } from './context.js';

/** Parses a transaction with or without witnesses, as requested; otherwise tries both formats. @throws RpcError */
export function decodeTx(text: string, isWitness: boolean | undefined, { hashes }: Pick<DecodeContext, 'hashes'>): TxView {
  const failed = (): never => fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed');
  const bytes = hexBytes(text) ?? failed();
  try {
    return parseTxLenient(bytes, hashes, { tryWitness: isWitness ?? true, tryNoWitness: !(isWitness ?? false) });
  } catch (error) {
    if (error instanceof DecodeError) return failed();
    throw error;
  }
}
