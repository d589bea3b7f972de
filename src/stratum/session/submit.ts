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
import { readShareFields, rebuildShare, type ShareFields } from './share.js';
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

/** Outcome of a share. */
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

/** Checks a share. @param params of mining.submit */
export function checkShare(params: readonly unknown[], rules: ShareRules, nowMs: number): CheckedShare {
  const { board, worker } = rules;
  const job = board.get(textAt(params, 1) ?? '', nowMs);
  const without = { job, difficulty: 0, shareDifficulty: 0, block: false };
  if (job === null) return { ...without, result: 'unknown-job', error: { code: ERROR.jobNotFound, text: 'Job not found' } };
  const fields = readShareFields(params);
  if ('error' in fields) return { ...without, result: 'invalid', error: { code: ERROR.other, text: fields.error } };
  const share = rebuildShare(job, rules.payout, rules.extranonce1, fields, rules.hashes);
  const shareDifficulty = difficultyOfHash(share.hash);
  // The exact test takes longer. The difficulties are doubles, whose errors are far below a thousandth.
  const block = shareDifficulty >= job.networkDifficulty * 0.999 && hashToBigint(share.hash) <= job.tip.target;
  if (block) {
    const { coinbase, header, hash } = share;
    rules.onBlock({
      job,
      hash,
      header: header.slice(),
      coinbase: job.template.commitment === null ? coinbase.slice() : withWitness(coinbase),
      address: rules.payout.address,
      worker: worker?.worker ?? '',
      late: !board.isCurrent(job),
    });
  }
  const difficulty = Math.min(rules.difficulties.of(job.number), job.networkDifficulty);
  const checked = { job, difficulty, shareDifficulty, block };
  const fault = faultOf(job, fields, rules, nowMs) ?? judgeHash(share.hash, shareDifficulty, checked, rules);
  return { ...checked, result: fault?.result ?? 'accepted', error: fault?.error ?? null };
}

interface Fault {
  readonly result: ShareResult;
  readonly error: StratumError;
}

/** Checks the rules that do not depend on the hash. */
function faultOf(job: StratumJob, { time, versionBits }: ShareFields, rules: ShareRules, nowMs: number): Fault | null {
  const { board, worker, versionMask, seen } = rules;
  if (worker === null) return { result: 'unauthorized', error: { code: ERROR.unauthorized, text: 'Unauthorized worker' } };
  if (!board.isCurrent(job) || seen.isForgotten(job.number)) {
    return { result: 'stale', error: { code: ERROR.jobNotFound, text: 'Stale share' } };
  }
  if (time < job.tip.minTime || time > board.nodeSeconds(nowMs) + MAX_FUTURE_SECONDS) {
    return { result: 'invalid', error: { code: ERROR.other, text: 'Ntime out of range' } };
  }
  if ((versionBits & ~versionMask) !== 0) return { result: 'invalid', error: { code: ERROR.other, text: 'Invalid version bits' } };
  return null;
}

/** Checks for a duplicate and the difficulty. Remembers an accepted share. */
function judgeHash(
  hash: Uint8Array,
  shareDifficulty: number,
  { job, difficulty, block }: { readonly job: StratumJob; readonly difficulty: number; readonly block: boolean },
  { seen }: ShareRules,
): Fault | null {
  if (seen.has(hash)) return { result: 'duplicate', error: { code: ERROR.duplicate, text: 'Duplicate share' } };
  if (!block && !meets(shareDifficulty, difficulty)) {
    return { result: 'low-difficulty', error: { code: ERROR.lowDifficulty, text: 'Low difficulty share' } };
  }
  seen.add(hash, job.number);
  return null;
}
