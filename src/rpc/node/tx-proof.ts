// gettxoutproof and verifytxoutproof: proofs that transactions are in a block (a header and a partial merkle tree).

import { HEADER_SIZE, parseHeader } from '../../consensus/block/header-view.js';
import {
  buildPartialMerkle,
  decodePartialMerkle,
  encodePartialMerkle,
  extractMatches,
  type PartialMerkle,
} from '../../consensus/block/partial-merkle.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import { type Compat, follows, only } from '../../policy/compat.js';
import { asArray, asHash, asHashHex, asHex } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { hashHex, hex } from '../render/hex.js';
import type { JsonValue } from '../wire/values.js';
import type { HeaderInfo, NodeContext } from './context.js';
import { heavyCall } from './heavy-call.js';
import { assertStored, notFound } from './lookup.js';
import { mapSliced } from './slices.js';

/** The block of a transaction that still has an unspent output. */
async function blockByCoins(ctx: NodeContext, txids: Iterable<string>): Promise<HeaderInfo | undefined> {
  for (const txid of txids) {
    const coin = await ctx.chain.anyCoinOf(new Uint8Array(Buffer.from(txid, 'hex').reverse()));
    if (coin) return ctx.chain.atHeight(coin.height);
  }
  return undefined;
}

async function blockByIndex(ctx: NodeContext, txid: string): Promise<HeaderInfo | undefined> {
  if (!ctx.txIndex) return undefined;
  await ctx.txIndex.synced();
  const found = await ctx.txIndex.find(new Uint8Array(Buffer.from(txid, 'hex').reverse()));
  return found && ctx.chain.node(found.blockHash);
}

/** Distinct txids of the argument, in display hex. */
function wantedTxids(value: JsonValue | undefined): Set<string> {
  const wanted = new Set<string>();
  for (const item of asArray(value)) {
    const txid = asHashHex(item, 'txid');
    if (wanted.has(txid)) fail(RPC_CODE.INVALID_PARAMETER, `Invalid parameter, duplicated txid: ${String(item)}`);
    wanted.add(txid);
  }
  return wanted;
}

export const gettxoutproof: Run<NodeContext> = async (ctx, args, call) => {
  const wanted = wantedTxids(args[0]);
  let node: HeaderInfo | undefined;
  if ((args[1] ?? null) !== null) node = ctx.chain.node(asHash(args[1], 'blockhash')) ?? notFound();
  node ??= await blockByCoins(ctx, wanted);
  node ??= await blockByIndex(ctx, [...wanted].at(-1) ?? '');
  if (!node) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Transaction not yet in block');
  // Since release 29 in the words of getblock.
  if (follows(ctx.compat, 29)) assertStored(ctx, node);
  else if (!ctx.chain.hasBlock(node)) return fail(RPC_CODE.INTERNAL_ERROR, "Can't read block from disk");
  const found = node;
  const { block, txids } = await heavyCall(ctx.heavy, call.signal, async () => {
    const block = await ctx.chain.readBlock(found);
    return { block, txids: await mapSliced(block.txs, (tx) => tx.txid, call.breathe) };
  });
  const matches = txids.map((txid) => wanted.has(hashHex(txid)));
  if (matches.filter(Boolean).length !== wanted.size) {
    fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Not all transactions found in specified or retrieved block');
  }
  return hex(block.header.bytes) + hex(encodePartialMerkle(buildPartialMerkle(txids, matches, ctx.crypto)));
};

/** The tree after a proof's header. @throws RpcError with Core's words for a stream that ends early */
export function decodeProof(bytes: Uint8Array, compat: Compat): PartialMerkle {
  try {
    return decodePartialMerkle(bytes.subarray(HEADER_SIZE));
  } catch (error) {
    if (error instanceof DecodeError) {
      return fail(RPC_CODE.MISC_ERROR, `${only(compat, 28) ? 'SpanReader' : 'CDataStream'}::read(): end of data: iostream error`);
    }
    throw error;
  }
}

export const verifytxoutproof: Run<NodeContext> = (ctx, args) => {
  const bytes = asHex(args[0], 'proof');
  const tree = decodeProof(bytes, ctx.compat);
  const header = parseHeader(bytes, ctx.crypto);
  const found = extractMatches(tree, ctx.crypto);
  if (!found || !equalBytes(found.root, header.merkleRoot)) return [];
  const node = ctx.chain.node(header.hash);
  if (!node || !ctx.chain.contains(node) || node.txCount === 0) {
    return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Block not found in chain');
  }
  // A count other than the block's own would prove inner nodes as if they were transactions.
  return node.txCount === tree.count ? found.txids.map(hashHex) : [];
};
