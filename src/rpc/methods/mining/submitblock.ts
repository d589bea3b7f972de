import { buildBlock } from '../../../consensus/block/build-block.js';
import { HEADER_SIZE } from '../../../consensus/block/header-view.js';
import { DecodeError } from '../../../consensus/bytes/reader.js';
import { parseTx, type TxView } from '../../../consensus/tx/tx-view.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hex, none, obj, str } from '../../declare/parts.js';
import { blockFromBytes, bytesOf, submit } from '../../node/submit.js';
import { JsonObject, type JsonValue } from '../../wire/values.js';

export const spec = declare({
  name: 'submitblock',
  category: 'mining',
  runs: 'node',
  everywhere: true,
  description:
    'Submits a block to the network. See BIP22.\nIf the block was made from a light template, the header and the coinbase are enough, together with the workid.\nThe node adds the transactions.',
  args: [
    hex('hexdata', 'The block. With a workid, the 80 bytes of the header and the coinbase are enough'),
    obj(
      'dummy',
      'Parameters of BIP22. Anything other than an object is ignored',
      { anyType: true, default: 'none', typeWords: 'json object or string', oneline: '"dummy"' },
      [str('workid?', 'The workid of the light template from which the block was made.\nIgnored with a whole block')],
    ),
  ],
  results: [
    none('if the block was accepted'),
    str('The reject reason of BIP22. "stale-work" if the workid is unknown or too old', { when: 'otherwise' }),
  ],
  examples: [
    { cli: '"mydata"', rpc: '"mydata"' },
    { rpc: '"mydata", {"workid": "myid"}', title: 'Header and coinbase of a light template' },
  ],
});

/** Names the caller for the log. */
const userName = (user: string): string => `RPC user ${JSON.stringify(user)}`;

/** Returns the workid of the second argument (BIP 22). Some clients send no workid (BFGMiner) or a string there. */
function workIdOf(parameters: JsonValue | undefined): string | null {
  const workId = parameters instanceof JsonObject ? parameters.get('workid') : null;
  return typeof workId === 'string' ? workId : null;
}

/** Parses the coinbase after a header. Returns null if anything else follows the header, such as a whole block. */
function coinbaseAfterHeader(ctx: NodeContext, bytes: Uint8Array): TxView | null {
  try {
    const coinbase = parseTx(bytes.subarray(HEADER_SIZE), ctx.crypto, { exact: true });
    return coinbase.isCoinbase ? coinbase : null;
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

/**
 * Submits a block on a light template: the client sends header and coinbase, and adit adds the template's transactions.
 */
function submitWork(ctx: NodeContext, bytes: Uint8Array, workId: string, client: string): Promise<string | null> | string {
  const coinbase = bytes.length > HEADER_SIZE ? coinbaseAfterHeader(ctx, bytes) : null;
  if (coinbase === null) return submit(ctx, blockFromBytes(ctx, bytes), client);
  const txs = ctx.templates.pinned(workId);
  if (txs === null) return 'stale-work';
  const block = buildBlock(bytes.subarray(0, HEADER_SIZE), [coinbase.bytes, ...txs.map((tx) => tx.bytes)]);
  return submit(ctx, blockFromBytes(ctx, block), client);
}

export const submitblock: NodeRun<typeof spec> = (params, ctx, call) => {
  const bytes = bytesOf(params.hexdata, call);
  const workId = workIdOf(params.dummy);
  const client = userName(call.user);
  return workId === null ? submit(ctx, blockFromBytes(ctx, bytes), client) : submitWork(ctx, bytes, workId, client);
};
