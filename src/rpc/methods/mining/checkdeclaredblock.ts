import { type BlockView, parseBlock } from '../../../consensus/block/block-view.js';
import { buildBlock } from '../../../consensus/block/build-block.js';
import { HEADER_SIZE, type HeaderView, parseHeader } from '../../../consensus/block/header-view.js';
import { hashKey } from '../../../consensus/bytes/hex.js';
import { DecodeError } from '../../../consensus/bytes/reader.js';
import { parseTx, type TxView } from '../../../consensus/tx/tx-view.js';
import { asHash, asString, hexBytes } from '../../args.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, hex, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { fullVerdict, ID_BYTES, isKnownValid, placeWord } from '../../node/declared-block.js';
import { knownTransactions } from '../../node/job-transactions.js';
import { hashHex } from '../../render/hex.js';
import type { JsonValue } from '../../wire/values.js';

export const spec = declare({
  name: 'checkdeclaredblock',
  category: 'mining',
  runs: 'node',
  description:
    'Checks a block without proof of work, as getblocktemplate does in mode "proposal", but takes wtxids in place\nof the transactions (not in Bitcoin Core).\nThe call finds transactions in the mempool, in pinned jobs, among those stored for block reconstruction, and\nin the last three blocks. It stores nothing.',
  args: [
    hex('header', 'The 80 bytes of the header. Any nonce is accepted', { as: 'json' }),
    hex('coinbase', 'The coinbase transaction with its witness', { as: 'json' }),
    arr('wtxids', 'The transactions after the coinbase, in block order', [hex('wtxid?', '')]),
    arr(
      'transactions?',
      'Transactions that an earlier call has reported as missing, in any order. The call ignores transactions that are not in wtxids',
      [hex('transaction?', '')],
    ),
  ],
  results: [
    obj([
      bool('valid?', 'Whether the block is valid except for its proof of work. Absent if transactions are missing'),
      str('reject-reason?', 'The reject reason, as for a proposal'),
      arr('missing?', 'Transactions that the node does not know. Send them with the next call', [hex('wtxid')]),
    ]),
  ],
  examples: [{ cli: `"header" "coinbase" '["mywtxid",...]'`, rpc: '"header", "coinbase", ["mywtxid",...]' }],
});

/** Largest size of a declared block in bytes: a proposal of that size, in hex, fits into one request. */
const MOST_BYTES = 16_000_000;

const undecodable = (): never => fail(RPC_CODE.DESERIALIZATION_ERROR, 'Block decode failed');

function headerOf(ctx: NodeContext, given: JsonValue | undefined): HeaderView {
  const bytes = hexBytes(asString(given));
  return bytes?.length === HEADER_SIZE ? parseHeader(bytes, ctx.crypto) : undecodable();
}

/** Decodes hashes to one array of bytes, in internal order. There are thousands, so this is done in place. */
function idsOf(listed: readonly JsonValue[]): Uint8Array {
  const ids = Buffer.alloc(listed.length * ID_BYTES);
  for (const [i, text] of listed.entries()) {
    const at = i * ID_BYTES;
    const plain = typeof text === 'string' && text.length === 2 * ID_BYTES && Buffer.byteLength(text) === text.length;
    if (plain && ids.write(text, at, ID_BYTES, 'hex') === ID_BYTES) ids.subarray(at, at + ID_BYTES).reverse();
    else asHash(text, 'wtxid');
  }
  return new Uint8Array(ids.buffer, ids.byteOffset, ids.length);
}

/** Parses a transaction from hex. Bytes after it are an error. */
function transactionOf(ctx: NodeContext, given: JsonValue | undefined, failed: () => never): TxView {
  const bytes = hexBytes(asString(given)) ?? failed();
  try {
    return parseTx(bytes, ctx.crypto, { exact: true });
  } catch (error) {
    if (error instanceof DecodeError) return failed();
    throw error;
  }
}

/** Builds the block of these transactions, and reuses their ids. */
function rebuild(ctx: NodeContext, header: HeaderView, txs: readonly TxView[]): BlockView {
  const sizeBytes = txs.reduce((sum, tx) => sum + tx.totalSize, 0);
  if (sizeBytes > MOST_BYTES) fail(RPC_CODE.INVALID_PARAMETER, `The transactions have more than ${MOST_BYTES} bytes`);
  const bytes = buildBlock(
    header.bytes,
    txs.map((tx) => tx.bytes),
  );
  const block = parseBlock(bytes, ctx.crypto);
  // Facts are not reused (null), because fullVerdict must run every check to find the reject reason.
  for (const [i, tx] of block.txs.entries()) tx.adopt((txs[i] as TxView).txid, (txs[i] as TxView).wtxid, null);
  return block;
}

export const checkdeclaredblock: NodeRun<typeof spec> = async (params, ctx) => {
  const header = headerOf(ctx, params.header);
  const coinbase = transactionOf(ctx, params.coinbase, undecodable);
  const { wtxids: listed } = params;
  const wtxids = idsOf(listed);
  const given = new Map<string, TxView>();
  for (const hex of params.transactions ?? []) {
    const tx = transactionOf(ctx, hex, () => fail(RPC_CODE.DESERIALIZATION_ERROR, 'TX decode failed'));
    given.set(hashKey(tx.wtxid), tx);
  }
  const early = placeWord(ctx, header);
  if (early !== null) return { valid: false, 'reject-reason': early };
  if (await isKnownValid(ctx, header, coinbase, wtxids)) return { valid: true };
  const ids = listed.map((_, i) => wtxids.subarray(i * ID_BYTES, (i + 1) * ID_BYTES));
  const found = await knownTransactions(ctx, ids, given);
  const missing = ids.filter((_, i) => found[i] === undefined);
  if (missing.length > 0) return { missing: [...new Set(missing.map(hashHex))] };
  const word = await fullVerdict(ctx, rebuild(ctx, header, [coinbase, ...(found as TxView[])]));
  return word === null ? { valid: true } : { valid: false, 'reject-reason': word };
};
