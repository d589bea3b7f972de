// Compares the nodes' answers to a submission and selects the one that the client gets.
import { wholeBody } from '../link/messages.js';
import type { CallReply } from '../link/running-call.js';

/** An answer with its rank. */
export interface Judged {
  readonly reply: CallReply;
  /** True if the node accepted the submission. Then this is the answer, whatever other nodes reply. */
  readonly taken: boolean;
  /** True if the node could not judge the submission, and may be able to when it is sent again. */
  readonly isUndecided: boolean;
  /** True if the node has the block now, in its best chain or in another one. */
  readonly isKnown: boolean;
  /** The answer with the highest rank is returned. */
  readonly rank: number;
  /** Text for the log. */
  readonly words: string;
}

/** Replies of a node that could not judge: it lacks the parent, or the transactions of a light template. */
const UNDECIDED = new Set(['inconclusive', 'duplicate-inconclusive', 'prev-blk-not-found', 'stale-work', 'stale-prevblk']);
/** Replies for blocks that the node has stored. Another submission would change nothing. */
const STORED = new Set(['accepted', 'duplicate', 'inconclusive', 'duplicate-inconclusive']);
const RANK = { UNDECIDED: 0, REFUSED: 1, REFUSED_BY_FOLLOWED: 2, KNOWN: 3, TAKEN: 4 } as const;

interface Envelope {
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown } | null;
}

/** Ranks a node's answer to a submission. @param followed true if the answer is from the followed node */
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
    const parsed: unknown = JSON.parse(Buffer.from(wholeBody(body)).toString());
    const list = Array.isArray(parsed) ? parsed : [parsed];
    return list.every((one) => typeof one === 'object' && one !== null) ? (list as Envelope[]) : null;
  } catch {
    return null;
  }
}
