// What nodes say of a submission, and which of their answers is the client's. Used by caller.ts.
import type { CallReply } from '../link/running-call.js';

/** An answer with what it is worth. */
export interface Judged {
  readonly reply: CallReply;
  /** The node has taken it: the answer, whatever others say. */
  readonly taken: boolean;
  /** The node could not judge it, and may judge it when it comes again. */
  readonly isUndecided: boolean;
  /** A block that the node has now, in its best chain or beside it. */
  readonly isKnown: boolean;
  /** Larger ones are the better answers. */
  readonly rank: number;
  /** For the log. */
  readonly words: string;
}

/** The node could not judge: it lacks the parent, or the transactions of a light template. */
const UNDECIDED = new Set(['inconclusive', 'duplicate-inconclusive', 'prev-blk-not-found', 'stale-work', 'stale-prevblk']);
/** Blocks that the node has stored: another submission tells nothing new. */
const STORED = new Set(['accepted', 'duplicate', 'inconclusive', 'duplicate-inconclusive']);
const RANK = { UNDECIDED: 0, REFUSED: 1, REFUSED_BY_FOLLOWED: 2, KNOWN: 3, TAKEN: 4 } as const;

interface Envelope {
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown } | null;
}

/** @param followed whether it is the word of the node that this front follows */
export function judge(method: string, reply: CallReply, followed: boolean): Judged {
  const envelopes = envelopesOf(reply);
  if (envelopes === null) {
    const words = `HTTP ${reply.status}`;
    return { reply, taken: false, isUndecided: true, isKnown: false, rank: RANK.UNDECIDED, words };
  }
  let rank: number = RANK.TAKEN;
  const words: string[] = [];
  for (const { result, error } of envelopes) {
    const answer = error ? String(error.message) : typeof result === 'string' && method !== 'sendrawtransaction' ? result : 'accepted';
    words.push(answer);
    if (answer === 'accepted') continue;
    const own = UNDECIDED.has(answer)
      ? RANK.UNDECIDED
      : answer === 'duplicate'
        ? RANK.KNOWN
        : followed
          ? RANK.REFUSED_BY_FOLLOWED
          : RANK.REFUSED;
    rank = Math.min(rank, own);
  }
  const isKnown = words.every((answer) => STORED.has(answer));
  const isUndecided = rank === RANK.UNDECIDED && !isKnown;
  return { reply, taken: rank === RANK.TAKEN, isUndecided, isKnown, rank, words: words.join(', ') };
}

function envelopesOf({ body }: CallReply): readonly Envelope[] | null {
  try {
    const parsed: unknown = JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString());
    const list = Array.isArray(parsed) ? parsed : [parsed];
    return list.every((one) => typeof one === 'object' && one !== null) ? (list as Envelope[]) : null;
  } catch {
    return null;
  }
}
