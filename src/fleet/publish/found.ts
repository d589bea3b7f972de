// An account's found blocks from the broker's stream, at a node: those of the last hour when it starts, and each as it
// comes. A message may hold nothing but submissions of blocks: it is read as any call of the account's would be. What a
// front has submitted here directly, byte for byte, is not judged again. A block whose parent is unknown waits for the
// next tips. Used by publisher.ts.
import { createHash } from 'node:crypto';
import type { CallPlan, FrontCall } from '../../rpc/front/request-router.js';
import { submittedHash } from '../block-hash.js';
import { type FoundMessage, readFound } from '../messages.js';
import { Joiner } from '../pieces.js';
import { judge } from '../verdicts.js';
import type { AnswerCall } from './call-answers.js';

export interface FoundInboxDeps {
  /** What a list of methods makes of a body. */
  plan(body: Uint8Array, call: FrontCall): CallPlan | Promise<CallPlan | null>;
  /** Hands a submission to the node thread. @returns its number, 0 when too much is under way */
  run(call: AnswerCall, done: Verdict): number;
  /** The node has a block that was found. */
  onKnown(hash: string): void;
  log(text: string): void;
  after(ms: number, run: () => void): void;
  nowMs(): number;
}

type Verdict = (status: number, body: Uint8Array | string) => void;

/** A copy that was submitted before the front's own call came. */
interface Early {
  reply: { readonly status: number; readonly body: Uint8Array | string } | null;
  /** The front's own call, which waits for the verdict. */
  done: Verdict | null;
}

const MOST_BYTES = 64 << 20;
const MOST_OPEN = 64;
const MOST_WAITING = 16;
/** The stream's copy is looked at so much later than it came: the front's own is on its way, and first with most. */
const LATER_MS = 1_000;
/** Copies that are kept for so long are so many and take so many bytes at most. */
const MOST_LATER = 1_024;
const MOST_LATER_BYTES = 64 << 20;
/** Verdicts on copies of the stream that were judged all the same before the front's own came. */
const MOST_EARLY = 64;
/** Submissions that fronts brought here themselves. */
const MOST_DIRECT = 256;
const RETENTION_MS = 3_600_000;
const ALLOWED: ReadonlySet<string> = new Set(['submitblock']);
/** Number of a call that the node thread need not see. */
const ANSWERED = -1;

export class FoundInbox {
  readonly #account: string;
  readonly #deps: FoundInboxDeps;
  readonly #joiner = new Joiner(MOST_BYTES, MOST_OPEN);
  #waiting: { readonly call: AnswerCall; readonly untilMs: number }[] = [];
  #later = 0;
  #laterBytes = 0;
  /** That copies are left out is in the log, once until there is room for all again. */
  #isFull = false;
  /** By keyOf: a spoilt copy has the true block's hash. */
  readonly #direct = new Set<string>();
  readonly #early = new Map<string, Early>();
  judged = 0;

  constructor(account: string, deps: FoundInboxDeps) {
    this.#account = account;
    this.#deps = deps;
  }

  /** A message of the stream. */
  takeMessage(bytes: Uint8Array): void {
    const message = readFound(bytes);
    const whole = message && this.#joiner.add(message.id, message);
    if (!message || !whole || message.bodyBytes > whole.length) return;
    const call = this.#callOf(message, whole);
    if (submittedHash(call) === null || this.#direct.has(keyOf(call))) return;
    if (this.#later >= MOST_LATER || this.#laterBytes + whole.length > MOST_LATER_BYTES) {
      if (!this.#isFull) this.#deps.log(`fleet: found blocks of ${this.#account} are left out, too many came at once`);
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

  /** Another tip: blocks that waited for their parents may go on. */
  tipChanged(): void {
    const now = this.#deps.nowMs();
    const waiting = this.#waiting.filter(({ untilMs }) => untilMs > now);
    this.#waiting = [];
    for (const { call } of waiting) this.#submit(call);
  }

  /**
   * Runs a submission that a front has brought here itself: the stream's copy need not be judged. A copy that was
   * judged already is the same call, and its verdict the answer.
   * @returns the call's number, 0 when too much is under way: then nothing was begun, and the stream's copy counts
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

  /** Nothing but submissions passes, whatever the message calls itself. */
  async #check(call: AnswerCall): Promise<void> {
    const { user, uri } = call;
    const plan = await this.#deps.plan(new Uint8Array(call.body), { user, uri, allowed: ALLOWED });
    if (plan?.kind !== 'node') this.#deps.log(`fleet: a message of ${user} in the stream of found blocks is no submission: left out`);
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
    // Looked at again with the next tip.
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

/** The same bytes, in a call as in its copy in the stream. */
function keyOf({ body, block }: AnswerCall): string {
  const hash = createHash('sha256').update(body);
  if (block) hash.update(block.bytes);
  return hash.digest('hex');
}

/** In memory of its own: what a call is run with goes to the node thread. */
function copyOf(call: AnswerCall): AnswerCall {
  return { ...call, body: new Uint8Array(call.body), block: call.block && { ...call.block, bytes: new Uint8Array(call.block.bytes) } };
}
