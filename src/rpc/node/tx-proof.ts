// Shared by methods that use proofs that transactions are in a block: a header and a partial merkle tree.
import { HEADER_SIZE } from '../../consensus/block/header-view.js';
import { decodePartialMerkle, type PartialMerkle } from '../../consensus/block/partial-merkle.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import { type Compat, follows } from '../../policy/compat.js';
import { fail, RPC_CODE } from '../errors.js';

/** Parses the tree after the header of a proof. @throws RpcError with Core's words for a stream that ends early */
export function decodeProof(bytes: Uint8Array, compat: Compat): PartialMerkle {
  try {
    return decodePartialMerkle(bytes, HEADER_SIZE);
  } catch (error) {
    if (error instanceof DecodeError) {
      const words = follows(compat, 28) ? error.message.replace('CDataStream', 'SpanReader') : error.message;
      return fail(RPC_CODE.MISC_ERROR, `${words}: iostream error`);
    }
    throw error;
  }
}
