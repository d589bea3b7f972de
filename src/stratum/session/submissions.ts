// The shares of one session: checks them, and reports each to the sink.
import { textAt } from '../codec/request.js';
import type { ParsedName, Payout } from '../work/payouts.js';
import type { SessionContext } from './context.js';
import { SeenShares } from './seen-shares.js';
import { SentDifficulties } from './sent-difficulties.js';
import type { SessionNames } from './session-names.js';
import type { FoundBlock, SessionSink } from './sink.js';
import { type CheckedShare, checkShare } from './submit.js';

/**
 * Number of first shares after which a miner is reported if all of them are far below their difficulty. It then hashes
 * another header than the job's.
 */
const FOREIGN_SHARES = 10;
/** A share counts as far below its difficulty if it reaches less than this part of it. */
const FOREIGN_PART = 1e-3;

/** The session that submits the shares. */
export interface Submitter {
  readonly extranonce1: Uint8Array;
  readonly payout: Payout;
  readonly names: SessionNames;
  readonly versionMask: number;
  readonly agent: string;
}

export class Submissions {
  readonly seen = new SeenShares();
  readonly difficulties = new SentDifficulties();
  readonly #context: SessionContext;
  readonly #sink: SessionSink;
  readonly #onBlock: (block: FoundBlock) => void;
  #complained = false;
  /** Number of shares far below their difficulty; null once a share was not. */
  #foreign: number | null = 0;

  constructor(context: SessionContext, sink: SessionSink) {
    this.#context = context;
    this.#sink = sink;
    this.#onBlock = (block) => sink.submitBlock(block);
  }

  /** Checks a share and reports it to the sink. @param params of mining.submit */
  submit(params: readonly unknown[], from: Submitter, nowMs: number): CheckedShare {
    const worker = from.names.find(textAt(params, 0) ?? '');
    const share = this.#check(params, from, worker, nowMs);
    const { result, job, difficulty, shareDifficulty, block } = share;
    if (result === 'invalid') this.#complain(from.agent, `sends shares that are refused: ${share.error?.text ?? ''}`);
    else if (this.#foreign !== null && job !== null) this.#countForeign(from.agent, shareDifficulty < difficulty * FOREIGN_PART);
    this.#sink.share({
      address: worker?.address ?? from.payout.address,
      worker: worker?.worker ?? '',
      result,
      difficulty,
      shareDifficulty,
      height: job?.template.height ?? 0,
      timeMs: nowMs,
      block,
    });
    return share;
  }

  #check(params: readonly unknown[], from: Submitter, worker: ParsedName | null, nowMs: number): CheckedShare {
    const { board, hashes } = this.#context;
    const { extranonce1, payout, versionMask } = from;
    const { difficulties, seen } = this;
    const rules = { board, hashes, extranonce1, payout, worker, versionMask, difficulties, seen, onBlock: this.#onBlock };
    return checkShare(params, rules, nowMs);
  }

  /** Logs one line per connection, because firmware that builds one share wrong builds all shares wrong. */
  #complain(agent: string, text: string): void {
    if (this.#complained) return;
    this.#complained = true;
    this.#sink.log('info', `Stratum V1: miner ${agent || 'without agent'} ${text}`);
  }

  #countForeign(agent: string, isForeign: boolean): void {
    this.#foreign = isForeign ? (this.#foreign ?? 0) + 1 : null;
    if (this.#foreign !== FOREIGN_SHARES) return;
    this.#complain(agent, 'sends only shares far below their difficulty. Its firmware may cut the coinbase or swap bytes.');
  }
}
