import { follows, shows } from '../../../policy/compat.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { TxPlace } from '../../context/indexes.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { spendingMembers } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, bool, hash, hex, num, obj, str, time } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { type Found, placeMembers, searchTransaction } from '../../node/getrawtransaction.js';
import { verbosityOf } from '../../node/lookup.js';
import { blockFolder, storedBlock, storedUndo } from '../../node/read-facts.js';
import { PendingRead } from '../../reads/read-job.js';
import { hashHex } from '../../render/hex.js';
import { txHex } from '../../render/tx-writer.js';

export const spec = declare({
  name: 'getrawtransaction',
  category: 'rawtransactions',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description:
    'Returns a transaction from the mempool, or from a block if its hash is given. With -txindex it finds any\ntransaction.\nThe result is hex, or an object if verbose is true. With verbosity 2 the object also has the outputs that the\ninputs spend, if the transaction is in a block.',
  args: [
    hash('txid', 'The transaction id', { errorName: 'parameter 1' }),
    bool('verbose', 'false or 0 for hex, true or 1 for an object. Since release 25 also 2, for an object with the spent outputs', {
      renamed: { since: 25, name: 'verbosity|verbose' },
      anyType: true,
      default: 'false',
    }),
    hash('blockhash?', 'Hash of the block that contains the transaction', { errorName: 'parameter 3' }),
  ],
  results: [
    str('The transaction', { when: 'if verbose is not set or set to false' }),
    obj({ when: 'if verbose is set to true' }, [
      bool('in_active_chain?', 'Whether the given block is in the best chain'),
      num('vsize_adjusted?', 'Virtual size, adjusted for signature operations. Only for a transaction in the mempool', { since: 32 }),
      hex('hex', 'The transaction', { until: 22 }),
      ...spendingMembers(25),
      amount('fee?', 'The fee in BTC. Only with verbosity 2 and for a transaction in a block', { since: 25 }),
      hex('hex', 'The transaction', { since: 22 }),
      hex('blockhash?', 'Hash of its block'),
      num('confirmations?', 'Confirmations'),
      num('time?', 'The same as "blocktime"'),
      time('blocktime?', 'Time of the block'),
    ]),
  ],
  examples: [{ cli: '"mytxid"' }, { cli: '"mytxid" true', rpc: '"mytxid", true' }, { cli: '"mytxid" true "myblockhash"' }],
});

const missing = (what: string): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `${what}. Use gettransaction for wallet transactions.`);

async function anywhere(ctx: NodeContext, txid: Uint8Array): Promise<Found> {
  const { found, synced } = await searchTransaction(ctx, txid);
  if (found) return found;
  if (!ctx.txIndex) {
    return missing('No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries');
  }
  if (!synced) return missing('No such mempool transaction. Blockchain transactions are still in the process of being indexed');
  return missing('No such mempool or blockchain transaction');
}

/** A confirmed transaction is searched in a block, or is at a position. */
type Where = { readonly node: HeaderInfo; readonly place: null } | { readonly node: null; readonly place: TxPlace };

/** Returns the read job for a confirmed transaction. */
async function confirmed(ctx: NodeContext, txid: string, { node, place }: Where, verbosity: number): Promise<PendingRead> {
  const at = place && { offset: place.offset, size: place.size };
  const stored = (): PendingRead['job'] & { kind: 'tx' } => {
    const block = node ? storedBlock(ctx, node) : { ...blockFolder(ctx), file: place.file, pos: place.pos, hash: '' };
    return { kind: 'tx', block, at, txid, form: 'string', members: {}, undo: null };
  };
  if (verbosity === 0) return new PendingRead(stored());
  const blockHash = node ? node.hash : await ctx.txIndex!.blockHashAt(place);
  const shown = node ?? ctx.chain.node(blockHash);
  const spent = verbosity > 1 && shows(ctx.compat, { since: 25 }) && shown !== undefined && ctx.blocks.hasBlock(shown);
  const members = { ...(node && { in_active_chain: ctx.chain.contains(node) }), ...placeMembers(ctx, blockHash) };
  return new PendingRead({ ...stored(), form: 'object', members, undo: spent ? storedUndo(ctx, shown) : null });
}

export const getrawtransaction: NodeRun<typeof spec> = async (params, ctx) => {
  const { txid } = params;
  if (hashHex(txid) === hashHex(ctx.chain.genesis.merkleRoot)) {
    fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved');
  }
  const asked = verbosityOf(ctx, params.verbose, 0);
  const verbosity = asked < 0 ? (follows(ctx.compat, 25) ? 0 : 1) : asked;
  if (params.blockhash !== undefined) {
    const node = ctx.chain.node(params.blockhash) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Block hash not found');
    if (!ctx.blocks.hasBlock(node)) fail(RPC_CODE.MISC_ERROR, 'Block not available');
    return confirmed(ctx, hashHex(txid), { node, place: null }, verbosity);
  }
  const found = await anywhere(ctx, txid);
  if ('place' in found) return confirmed(ctx, hashHex(txid), { node: null, place: found.place }, verbosity);
  const hex = txHex(found.tx);
  if (verbosity === 0) return hex;
  const members = shows(ctx.compat, { since: 32 }) ? { vsize_adjusted: found.pooledSize } : {};
  return new PendingRead({ kind: 'pooled-tx', hex, form: 'object', members });
};
