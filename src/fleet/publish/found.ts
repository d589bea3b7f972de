// Reads an account's found blocks from the broker's stream: those of the last hour when the node starts, and each new
// one. A message may contain only submissions of blocks and is checked like any call of the account. A submission that
// a front sent directly to this node, byte for byte, is not judged again. A block whose parent is unknown waits for the
// next tips.
import { createHash } from 'node:crypto';
import type { CallPlan, FrontCall } from '../../rpc/front/request-router.js';
import { submittedHash } from '../block-hash.js';
import { type FoundMessage, readFound } from '../messages.js';
import { Joiner } from '../pieces.js';
import { judge } from '../verdicts.js';
import type { AnswerCall } from './call-answers.js';

export interface FoundInboxDeps {
  /** Decides what a body may do under a list of methods. */
  plan(body: Uint8Array, call: FrontCall): CallPlan | Promise<CallPlan | null>;
  /** Passes a submission to the node thread. @returns its number, 0 if too many calls are in progress */
  run(call: AnswerCall, done: Verdict): number;
  /** Called with the hash of a found block that the node has. */
  onKnown(hash: string): void;
  log(text: string): void;
  after(ms: number, run: () => void): void;
  nowMs(): number;
}

type Verdict = (status: number, body: Uint8Array | string) => void;

/** A copy from the stream that was submitted before the front's own call arrived. */
interface Early {
  reply: { readonly status: number; readonly body: Uint8Array | string } | null;
  /** Receives the verdict for the front's own call; null until that call arrives. */
  done: Verdict | null;
}

const MOST_BYTES = 64 << 20;
const MOST_OPEN = 64;
const MOST_WAITING = 16;
/** Delay of copies from the stream. The front's own call usually arrives within it. */
const LATER_MS = 1_000;
/** Limits of the copies that are delayed. */
const MOST_LATER = 1_024;
const MOST_LATER_BYTES = 64 << 20;
/** Number of verdicts on copies that are retained for the front's own call. */
const MOST_EARLY = 64;
/** Number of direct submissions that are remembered. */
const MOST_DIRECT = 256;
const RETENTION_MS = 3_600_000;
const ALLOWED: ReadonlySet<string> = new Set(['submitblock']);
/** Call number that submitDirect() returns if the call is answered without the node thread. */
const ANSWERED = -1;

export class FoundInbox {
  readonly #account: string;
  readonly #deps: FoundInboxDeps;
  readonly #joiner = new Joiner(MOST_BYTES, MOST_OPEN);
  #waiting: { readonly call: AnswerCall; readonly untilMs: number }[] = [];
  #later = 0;
  #laterBytes = 0;
  /** True once the log says that copies are skipped; reset when no copy is delayed any more. */
  #isFull = false;
  /** Direct submissions by keyOf, not by block hash: a mutated copy has the same hash as the valid block. */
  readonly #direct = new Set<string>();
  readonly #early = new Map<string, Early>();
  judged = 0;

  constructor(account: string, deps: FoundInboxDeps) {
    this.#account = account;
    this.#deps = deps;
  }

  /** Takes a message of the stream. */
  takeMessage(bytes: Uint8Array): void {
    const message = readFound(bytes);
    const whole = message && this.#joiner.add(message.id, message);
    if (!message || !whole || message.bodyBytes > whole.length) return;
    const call = this.#callOf(message, whole);
    if (submittedHash(call) === null || this.#direct.has(keyOf(call))) return;
    if (this.#later >= MOST_LATER || this.#laterBytes + whole.length > MOST_LATER_BYTES) {
      if (!this.#isFull) this.#deps.log(`fleet: found blocks of ${this.#account} are skipped, because too many arrived at once`);
      this.#isFull = true;
      return;
    }
    this.#later++;
    this.#laterBytes += whole.length;
    this.#deps.after(LATER_MS, () => {
      this.#laterBytes -= whole.length;
      if (--this.#later === 0) this.#isFull = false;
      void this.#check(call);
    });
  }

  /** Submits blocks that waited for their parents. */
  tipChanged(): void {
    const now = this.#deps.nowMs();
    const waiting = this.#waiting.filter(({ untilMs }) => untilMs > now);
    this.#waiting = [];
    for (const { call } of waiting) this.#submit(call);
  }

  /**
   * Runs a submission that a front sent to this node itself, so that the stream's copy is not judged. If the copy was
   * judged already, its verdict is the answer: both are the same call.
   * @returns the call's number, 0 if too many calls are in progress: then nothing was begun, and the stream's copy
   * counts
   */
  submitDirect(call: AnswerCall, done: Verdict): number {
    const hash = submittedHash(call);
    if (hash === null) return this.#deps.run(call, done);
    const key = keyOf(call);
    const early = this.#early.get(key);
    this.#early.delete(key);
    if (early) {
      if (early.reply) done(early.reply.status, early.reply.body);
      else early.done = done;
      return ANSWERED;
    }
    const copy = copyOf(call);
    const number = this.#deps.run(call, (status, body) => {
      const { isUndecided, isKnown } = judge(copy.method, { status, body }, true);
      if (isUndecided) this.#undecided(copy);
      if (isKnown) this.#deps.onKnown(hash);
      done(status, body);
    });
    if (number === 0) return 0;
    this.#direct.add(key);
    if (this.#direct.size > MOST_DIRECT) this.#direct.delete(this.#direct.values().next().value as string);
    return number;
  }

  /** Submits the call if it contains nothing but submissions, whatever method its message names. */
  async #check(call: AnswerCall): Promise<void> {
    const { user, uri } = call;
    const plan = await this.#deps.plan(new Uint8Array(call.body), { user, uri, allowed: ALLOWED });
    if (plan?.kind !== 'node')
      this.#deps.log(`fleet: a message of ${user} in the stream of found blocks was skipped, because it is not a submission`);
    else if (!this.#direct.has(keyOf(call))) this.#submit(call);
  }

  #undecided(call: AnswerCall): void {
    this.#waiting.push({ call, untilMs: this.#deps.nowMs() + RETENTION_MS });
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
  }

  #submit(call: AnswerCall): void {
    const early: Early = { reply: null, done: null };
    const key = keyOf(call);
    this.#early.set(key, early);
    if (this.#early.size > MOST_EARLY) this.#early.delete(this.#early.keys().next().value as string);
    const number = this.#deps.run(copyOf(call), (status, body) => {
      this.judged++;
      const own = typeof body === 'string' ? body : new Uint8Array(body);
      early.reply = { status, body: own };
      early.done?.(status, own);
      const { words, isUndecided, isKnown } = judge(call.method, { status, body }, true);
      if (words !== 'duplicate') this.#deps.log(`fleet: a found block of ${call.user}: ${words}`);
      if (isUndecided) this.#undecided(call);
      const hash = submittedHash(call);
      if (isKnown && hash !== null) this.#deps.onKnown(hash);
    });
    // The next tip triggers another attempt.
    if (number === 0) {
      this.#early.delete(key);
      this.#undecided(call);
    }
  }

  #callOf({ user, uri, bodyBytes, token }: FoundMessage, whole: Uint8Array): AnswerCall {
    const block = token === '' ? null : { token, bytes: new Uint8Array(whole.subarray(bodyBytes)) };
    const body = new Uint8Array(whole.subarray(0, bodyBytes));
    return { account: this.#account, user: `${this.#account}/${user}`, uri, method: 'submitblock', plain: true, body, block };
  }
}

/** Key of a submission: equal for a call and its copy in the stream. */
function keyOf({ body, block }: AnswerCall): string {
  const hash = createHash('sha256').update(body);
  if (block) hash.update(block.bytes);
  return hash.digest('hex');
}

/** Copies a call into memory of its own, because the call's memory is passed to the node thread. */
function copyOf(call: AnswerCall): AnswerCall {
  return { ...call, body: new Uint8Array(call.body), block: call.block && { ...call.block, bytes: new Uint8Array(call.block.bytes) } };
}
