// Checks a share, in an order that loses no block: everything that can be a block is rebuilt, hashed and submitted before
// any rule about shares applies.
//
//   job known > fields > hash > block? submit it > user name > stale > time > version bits > duplicate > difficulty
import { hashToBigint } from '../../consensus/rules/bits.js';
import type { Hashes } from '../../crypto/crypto.js';
import { ERROR, type StratumError } from '../codec/reply.js';
import { textAt } from '../codec/request.js';
import { difficultyOfHash, meets } from '../pace/difficulty.js';
import { withWitness } from '../work/coinbase.js';
import type { StratumJob } from '../work/job.js';
import type { JobBoard } from '../work/job-board.js';
import type { Payout } from '../work/payouts.js';
import type { SeenShares } from './seen-shares.js';
import type { SentDifficulties } from './sent-difficulties.js';
import { hashShare, readShareFields, type ShareFields, takeShare } from './share.js';
import type { FoundBlock, ShareResult } from './sink.js';

/** Limit in seconds by which a header's time may be ahead of the node's time (a consensus rule). */
const MAX_FUTURE_SECONDS = 7200;

/** State of the session and the board that a share is checked against. */
export interface ShareRules {
  readonly board: JobBoard;
  readonly hashes: Hashes;
  readonly extranonce1: Uint8Array;
  readonly payout: Payout;
  /** The worker of the share's user name; null if the session did not authorize it. */
  readonly worker: { readonly address: string; readonly worker: string } | null;
  /** Bits of the version that the miner may change. */
  readonly versionMask: number;
  readonly difficulties: SentDifficulties;
  readonly seen: SeenShares;
  readonly onBlock: (block: FoundBlock) => void;
}

export interface CheckedShare {
  readonly result: ShareResult;
  /** Null if the share is accepted. */
  readonly error: StratumError | null;
  readonly job: StratumJob | null;
  /** Difficulty that the share had to meet; 0 if the job is unknown. */
  readonly difficulty: number;
  /** Difficulty of the share's hash; 0 if the hash was not computed. */
  readonly shareDifficulty: number;
  readonly block: boolean;
}

const UNKNOWN_JOB = { result: 'unknown-job', error: { code: ERROR.jobNotFound, text: 'Job not found' } } as const;
const WRONG_NAME = { result: 'unauthorized', error: { code: ERROR.unauthorized, text: 'Unauthorized worker' } } as const;
const STALE = { result: 'stale', error: { code: ERROR.jobNotFound, text: 'Stale share' } } as const;
const WRONG_TIME = { result: 'invalid', error: { code: ERROR.other, text: 'Ntime out of range' } } as const;
const WRONG_BITS = { result: 'invalid', error: { code: ERROR.other, text: 'Invalid version bits' } } as const;
const DUPLICATE = { result: 'duplicate', error: { code: ERROR.duplicate, text: 'Duplicate share' } } as const;
const LOW_DIFFICULTY = { result: 'low-difficulty', error: { code: ERROR.lowDifficulty, text: 'Low difficulty share' } } as const;
const ACCEPTED = { result: 'accepted', error: null } as const;

/** Checks a share. @param params of mining.submit */
export function checkShare(params: readonly unknown[], rules: ShareRules, nowMs: number): CheckedShare {
  const { board, worker, payout } = rules;
  const job = board.get(textAt(params, 1) ?? '', nowMs);
  if (job === null) return checked(UNKNOWN_JOB, null, 0, 0, false);
  const fields = readShareFields(params);
  if ('error' in fields) return checked({ result: 'invalid', error: { code: ERROR.other, text: fields.error } }, job, 0, 0, false);
  const hash = hashShare(job, payout, rules.extranonce1, fields, rules.hashes);
  const shareDifficulty = difficultyOfHash(hash);
  // The exact test takes longer. The difficulties are doubles, whose errors are far below a thousandth.
  const block = shareDifficulty >= job.networkDifficulty * 0.999 && hashToBigint(hash) <= job.tip.target;
  if (block) {
    const share = takeShare();
    rules.onBlock({
      job,
      hash: share.hash,
      header: share.header,
      coinbase: job.template.commitment === null ? share.coinbase : withWitness(share.coinbase),
      address: payout.address,
      worker: worker?.worker ?? '',
      late: !board.isCurrent(job),
    });
  }
  const difficulty = Math.min(rules.difficulties.of(job.number), job.networkDifficulty);
  const outcome = faultOf(job, fields, rules, nowMs) ?? judgeHash(hash, job, rules.seen, block || meets(shareDifficulty, difficulty));
  return checked(outcome, job, difficulty, shareDifficulty, block);
}

function checked(
  { result, error }: Outcome,
  job: StratumJob | null,
  difficulty: number,
  shareDifficulty: number,
  block: boolean,
): CheckedShare {
  return { result, error, job, difficulty, shareDifficulty, block };
}

interface Outcome {
  readonly result: ShareResult;
  readonly error: StratumError | null;
}

/** Checks the rules that do not depend on the hash. */
function faultOf(job: StratumJob, { time, versionBits }: ShareFields, rules: ShareRules, nowMs: number): Outcome | null {
  const { board, worker, versionMask, seen } = rules;
  if (worker === null) return WRONG_NAME;
  if (!board.isCurrent(job) || seen.isForgotten(job.number)) return STALE;
  if (time < job.tip.minTime || time > board.nodeSeconds(nowMs) + MAX_FUTURE_SECONDS) return WRONG_TIME;
  if ((versionBits & ~versionMask) !== 0) return WRONG_BITS;
  return null;
}

/** Checks for a duplicate and the difficulty. Remembers an accepted share. @param isGood whether the hash is good enough */
function judgeHash(hash: Uint8Array, job: StratumJob, seen: SeenShares, isGood: boolean): Outcome {
  if (seen.has(hash)) return DUPLICATE;
  if (!isGood) return LOW_DIFFICULTY;
  seen.add(hash, job.number);
  return ACCEPTED;
}
