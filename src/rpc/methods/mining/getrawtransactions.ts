import type { TxView } from '../../../consensus/tx/tx-view.js';
import { asHash, asInt64, asObject, asString } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, hex, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { knownTransactions } from '../../node/job-transactions.js';
import { bytesHex } from '../../render/hex.js';
import type { JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'getrawtransactions',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Returns transactions by wtxid, as job declarators name them (not in Bitcoin Core).\nThe call finds them in the mempool, in pinned jobs, among those stored for block reconstruction, and in the\nlast three blocks.\nWith a job, the node keeps the found transactions, so that the job stays buildable after an eviction. It keeps\nat most 64 jobs and 64 MB in all, for the given time, and until two more blocks have been found.',
  args: [
    arr('wtxids', 'At most 1000, with at most 4,000,000 bytes of transactions', [hex('wtxid?', '')]),
    obj('pin?', '', { as: 'json' }, [
      str('job', 'Name of the job, at most 64 characters. Further calls may add transactions to it'),
      num('seconds', 'Seconds to keep the job, at most 3600', { default: '600' }),
    ]),
  ],
  results: [
    obj([
      arr('transactions', 'In the order of the request', [hex('The transaction as hex, or null if the node does not have it')]),
      num('pinned?', 'Number of transactions of the job'),
    ]),
  ],
  examples: [{ cli: '"[\\"mywtxid\\",...]"', rpc: '["mywtxid",...]' }],
});

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
    transactions.push(tx === undefined ? null : bytesHex(tx.bytes));
  }
  const reply: Record<string, JsonResult> = { transactions };
  if (pin !== null) {
    const { seconds } = pin;
    reply.pinned = ctx.jobs.pin(pin.job, held, { now: ctx.clock.nowSeconds(), seconds, height: ctx.chain.tip.height });
  }
  return reply;
};
