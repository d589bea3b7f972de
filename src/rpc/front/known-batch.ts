// Answers batches on a front from cached replies, and caches the replies to their entries. All entries of such a batch
// are calls that change nothing, so their order does not matter.
import { isShared, type ReplyBody } from '../../link/messages.js';
import { decodeUnfilled, type Hole, UNFILLED } from '../reads/unfilled.js';
import { bufferOf } from '../wire/json-tokens.js';
import { objectsIn } from '../wire/objects-in.js';
import { isHole, type KnownBody, type ReplyKeeper } from './known-replies.js';

/** A part of a reply: bytes, or a read job that makes them. */
export type Piece = Uint8Array | Hole;

/** Largest reply to a batch that is split to cache its parts. */
const MOST_SPLIT_BYTES = 256 * 1024;

const LIST = Buffer.from('[');
const BETWEEN = Buffer.from(',');
const END = Buffer.from(']\n');

/** Returns the reply to a batch in pieces. @param entries pieces of the reply to each entry */
export function batchPieces(entries: readonly (readonly Piece[])[]): Piece[] {
  return [...entries.flatMap((pieces, i) => [i === 0 ? LIST : BETWEEN, ...pieces]), END];
}

/** Returns the pieces of a cached reply as an entry of a batch. Text is copied, because the cache overwrites ids. */
export function entryPieces(reply: KnownBody): readonly Piece[] {
  if (isHole(reply)) return [reply];
  if (typeof reply === 'string') return [Buffer.from(reply.slice(0, -1))];
  if (!isShared(reply)) return [new Uint8Array(reply.subarray(0, -1))];
  return [Buffer.from(reply.before), reply.shared, Buffer.from(reply.after.slice(0, -1))];
}

/**
 * Returns a function that caches the replies to the entries of a batch; null if none is cached.
 * @param keepers one for each entry; null for an entry whose reply is not cached
 */
export function batchKeeper(keepers: readonly (ReplyKeeper | null)[]): ReplyKeeper | null {
  if (keepers.every((keeper) => keeper === null)) return null;
  return (status, reply) => {
    if ((status !== 200 && status !== UNFILLED) || isHole(reply) || isShared(reply) || reply.length > MOST_SPLIT_BYTES) return;
    const replies = entryReplies(status, reply);
    if (replies.length !== keepers.length) return;
    for (const [i, one] of replies.entries()) keepers[i]?.(isHole(one) ? UNFILLED : 200, one);
  };
}

/** Splits the reply to a batch. */
function entryReplies(status: number, reply: Exclude<ReplyBody, { readonly shared: unknown }>): (string | Hole)[] {
  const pieces = status === UNFILLED ? decodeUnfilled(reply) : [reply];
  const objects = (text: string | Uint8Array) => objectsIn(typeof text === 'string' ? Buffer.from(text) : text);
  return pieces.flatMap((piece): (string | Hole)[] =>
    typeof piece === 'object' && 'job' in piece ? [piece] : objects(piece).map((one) => `${bufferOf(one).toString()}\n`),
  );
}
