import type { TxView } from '../../../consensus/tx/tx-view.js';
import { asHash, asInt64, asObject, asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { knownTransactions } from '../../node/job-transactions.js';
import { hex } from '../../render/hex.js';
import type { JsonResult } from '../../wire/values.js';
import type { getrawtransactions as spec } from './getrawtransactions.spec.js';

/** Largest number of wtxids in one call. */
const MOST_WTXIDS = 1_000;

/** Largest total size of transactions in one reply, in bytes: the weight limit of a block. */
const MOST_BYTES = 4_000_000;

const DEFAULT_PIN_SECONDS = 600;

const MOST_PIN_SECONDS = 3_600;

const MOST_NAME = 64;

interface PinOptions {
  readonly job: string;
  readonly seconds: number;
}

function pinOptions(given: Parameters<typeof asObject>[0]): PinOptions | null {
  if ((given ?? null) === null) return null;
  const options = asObject(given);
  const job = asString(options.get('job'));
  if (job === '' || job.length > MOST_NAME) fail(RPC_CODE.INVALID_PARAMETER, `job must be a name of 1 to ${MOST_NAME} characters`);
  const wanted = options.get('seconds') ?? null;
  const seconds = wanted === null ? BigInt(DEFAULT_PIN_SECONDS) : asInt64(wanted);
  if (seconds < 1 || seconds > MOST_PIN_SECONDS) fail(RPC_CODE.INVALID_PARAMETER, `seconds must be between 1 and ${MOST_PIN_SECONDS}`);
  return { job, seconds: Number(seconds) };
}

export const getrawtransactions: NodeRun<typeof spec> = async (params, ctx) => {
  const { wtxids: listed } = params;
  if (listed.length > MOST_WTXIDS) fail(RPC_CODE.INVALID_PARAMETER, `wtxids lists more than ${MOST_WTXIDS} transactions`);
  const wtxids = listed.map((wtxid) => asHash(wtxid, 'wtxid'));
  const pin = pinOptions(params.pin);
  const found = await knownTransactions(ctx, wtxids);
  const held: TxView[] = [];
  const transactions: (string | null)[] = [];
  let bytes = 0;
  for (const tx of found) {
    bytes += tx?.totalSize ?? 0;
    if (tx !== undefined && bytes > MOST_BYTES) fail(RPC_CODE.INVALID_PARAMETER, `The transactions have more than ${MOST_BYTES} bytes`);
    if (tx !== undefined) held.push(tx);
    transactions.push(tx === undefined ? null : hex(tx.bytes));
  }
  const reply: Record<string, JsonResult> = { transactions };
  if (pin !== null) {
    const { seconds } = pin;
    reply.pinned = ctx.jobs.pin(pin.job, held, { now: ctx.clock.nowSeconds(), seconds, height: ctx.chain.tip.height });
  }
  return reply;
};
