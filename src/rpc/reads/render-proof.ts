// Makes the result of gettxoutproof.
import { parseBlock } from '../../consensus/block/block-view.js';
import { buildPartialMerkle, encodePartialMerkle } from '../../consensus/block/partial-merkle.js';
import { fail, RPC_CODE } from '../errors.js';
import { bytesHex, hashHex } from '../render/hex.js';
import type { RenderContext } from '../render/script.js';
import type { JobFiles } from './job-files.js';
import type { ProofJob } from './read-job.js';

/** Returns the proof as hex. @throws RpcError */
export function txOutProof(job: ProofJob, files: JobFiles, { hashes }: RenderContext): string {
  const block = parseBlock(files.block(job.block) as Uint8Array, hashes);
  const wanted = new Set(job.txids);
  const txids = block.txs.map((tx) => tx.txid);
  const matches = txids.map((txid) => wanted.has(hashHex(txid)));
  if (matches.filter(Boolean).length !== wanted.size) {
    fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Not all transactions found in specified or retrieved block');
  }
  return bytesHex(block.header.bytes) + bytesHex(encodePartialMerkle(buildPartialMerkle(txids, matches, hashes)));
}
