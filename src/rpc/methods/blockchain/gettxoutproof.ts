import { follows } from '../../../policy/compat.js';
import { asArray, asHashHex } from '../../args.js';
import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, hash, hex, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { notFound } from '../../node/lookup.js';
import { storedBlock } from '../../node/read-facts.js';
import { PendingRead } from '../../reads/read-job.js';
import type { JsonValue } from '../../wire/values.js';

export const spec = declare({
  name: 'gettxoutproof',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description:
    'Returns a proof, as hex, that transactions are in a block. Without a block hash at least one of the\ntransactions must have an unspent output.',
  args: [
    arr('txids', 'The transactions', { as: 'json' }, [hex('txid?', 'A transaction id')]),
    hash('blockhash?', 'Hash of the block that contains the transaction'),
  ],
  results: [str('The proof')],
  examples: [{ cli: `'["mytxid",...]'`, rpc: '["mytxid",...]' }],
});

/** Returns the block of a transaction that has an unspent output. */
async function blockByCoins(ctx: NodeContext, txids: Iterable<string>): Promise<HeaderInfo | undefined> {
  for (const txid of txids) {
    const coin = await ctx.coins.anyCoinOf(new Uint8Array(Buffer.from(txid, 'hex').reverse()));
    if (coin) return ctx.chain.atHeight(coin.height);
  }
  return undefined;
}

async function blockByIndex(ctx: NodeContext, txid: string): Promise<HeaderInfo | undefined> {
  if (!ctx.txIndex) return undefined;
  await ctx.txIndex.synced();
  const place = await ctx.txIndex.locate(new Uint8Array(Buffer.from(txid, 'hex').reverse()));
  return place && ctx.chain.node(await ctx.txIndex.blockHashAt(place));
}

/** Returns the distinct txids of the argument, in display hex. */
function wantedTxids(value: JsonValue | undefined): Set<string> {
  const wanted = new Set<string>();
  for (const item of asArray(value)) {
    const txid = asHashHex(item, 'txid');
    if (wanted.has(txid)) fail(RPC_CODE.INVALID_PARAMETER, `Invalid parameter, duplicated txid: ${String(item)}`);
    wanted.add(txid);
  }
  return wanted;
}

export const gettxoutproof: NodeRun<typeof spec> = async (params, ctx) => {
  const wanted = wantedTxids(params.txids);
  if (wanted.size === 0 && follows(ctx.compat, 22)) fail(RPC_CODE.INVALID_PARAMETER, "Parameter 'txids' cannot be empty");
  let node: HeaderInfo | undefined;
  if (params.blockhash !== undefined) node = ctx.chain.node(params.blockhash) ?? notFound();
  node ??= await blockByCoins(ctx, wanted);
  node ??= await blockByIndex(ctx, [...wanted].at(-1) ?? '');
  if (!node) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not yet in block');
  // Since release 29, the error is that of getblock.
  if (!follows(ctx.compat, 29) && !ctx.blocks.hasBlock(node)) return fail(RPC_CODE.INTERNAL_ERROR, "Can't read block from disk");
  return new PendingRead({ kind: 'proof', block: storedBlock(ctx, node), txids: [...wanted] });
};
