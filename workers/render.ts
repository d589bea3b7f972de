// Entry of the threads that read block files and render replies.
import { workerData } from 'node:worker_threads';
import type { ChainParams } from '../src/consensus/params/chain-params.js';
import { createDecodeContext } from '../src/http/front/decode-context.js';
import { hurry } from '../src/lib/thread-priority.js';
import { withoutCopy } from '../src/parallel/without-copy.js';
import type { Compat } from '../src/policy/compat.js';
import { createScanRunner } from '../src/rpc/node/run-scan-job.js';
import type { ReadResult } from '../src/rpc/reads/read-job.js';
import { createJobRunner } from '../src/rpc/reads/render-job.js';

/** Jobs about the mempool. The node thread runs them on a pool of these threads that belongs to it alone. */
export { runSortJob as sortMempool, runTextJob as writeMempool } from '../src/rpc/node/mempool-text.js';

// A lower priority than the threads that verify scripts, so that a client that reads many blocks does not delay the
// verification of a new block.
hurry(-5);

const { params, compat } = workerData as { readonly params: ChainParams; readonly compat: Compat };
const context = createDecodeContext(params, compat);
const run = createJobRunner(context);
export const { deriveAddresses, expandScripts, findActivity } = createScanRunner(context);

/** Called by Piscina. @param job a read job as JSON */
export function render(job: string): ReadResult {
  const result = run(job);
  return 'parts' in result ? withoutCopy(result, result.parts) : result;
}
