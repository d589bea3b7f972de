// The node thread's side of scan jobs: gives facts, and turns errors into those of the call.
import type { PassedSecrets } from '../../link/messages.js';
import type { HeaderInfo } from '../context/chain.js';
import type { NodeContext } from '../context/node.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { createJobWords, type JobWords } from '../reads/coin-job.js';
import { errorOfJob, type JobError } from '../reads/job-error.js';
import { MISSING_UNDO } from '../reads/read-job.js';
import type { AddressJob, ScriptSet } from '../reads/scan-job.js';
import { encodeJson } from '../wire/json-write.js';
import type { JsonValue } from '../wire/values.js';
import { storedBlock, storedUndo } from './read-facts.js';
import { stopJob } from './stop-job.js';

let lastNumber = 0;

/**
 * Returns the scripts of scan objects.
 * @param words stop the job; absent: the job of a call that only its client can stop
 */
export async function expandScripts(
  ctx: NodeContext,
  objects: readonly JsonValue[],
  call: CallInfo,
  words = createJobWords(),
): Promise<ScriptSet> {
  const expand = (secrets: PassedSecrets | null) => ctx.scanJobs.expandScripts({ objects: encodeJson([...objects]), secrets, words });
  const packed = await runStoppable(ctx, call, words, expand);
  return { packed, number: ++lastNumber };
}

/** Returns the result of deriveaddresses as JSON. @throws RpcError */
export function deriveAddresses(ctx: NodeContext, job: Omit<AddressJob, 'secrets' | 'words'>, call: CallInfo): Promise<Uint8Array> {
  const words = createJobWords();
  return runStoppable(ctx, call, words, (secrets) => ctx.scanJobs.deriveAddresses({ ...job, secrets, words }));
}

/** Runs a job that stops when the client disconnects or the node stops. @param run gets copies of the call's secrets */
async function runStoppable<T extends object>(
  ctx: NodeContext,
  call: CallInfo,
  words: JobWords,
  run: (secrets: PassedSecrets | null) => Promise<T | JobError>,
): Promise<T> {
  const forget = stopJob(words, ctx.stopping, call.signal);
  try {
    return resultOf(ctx, await whileRunning(ctx, run(call.taken?.ofRequest(0) ?? null)));
  } finally {
    forget();
  }
}

/** Returns the events of a block (ScanJobs.findActivity). @throws RpcError if the client has disconnected */
export async function findActivity(ctx: NodeContext, node: HeaderInfo, scripts: ScriptSet, call: CallInfo): Promise<Uint8Array> {
  assertRunning(ctx);
  if (call.signal?.aborted) fail(RPC_CODE.MISC_ERROR, 'The client has disconnected');
  // First, because a pruned block has no undo data either, and its error is about the block.
  const block = storedBlock(ctx, node);
  const undo = storedUndo(ctx, node);
  if (undo === null && node.prev !== null) fail(RPC_CODE.MISC_ERROR, MISSING_UNDO);
  const job = { block, undo, height: node.height, scripts };
  return resultOf(ctx, await whileRunning(ctx, ctx.scanJobs.findActivity(job)));
}

/** Core's RpcInterruptionPoint. @throws RpcError while the node stops */
export function assertRunning({ stopping }: NodeContext): void {
  if (stopping.aborted) fail(RPC_CODE.CLIENT_NOT_CONNECTED, 'Shutting down');
}

/** Awaits the work of other threads, which fails when the node stops. @throws RpcError while the node stops */
export async function whileRunning<T>(ctx: NodeContext, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    assertRunning(ctx);
    throw error;
  }
}

function resultOf<T extends object>(ctx: NodeContext, result: T | JobError): T {
  if (!('code' in result)) return result;
  if (result.log !== null) ctx.log.info(result.log);
  throw errorOfJob(result);
}
