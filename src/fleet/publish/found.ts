// Found blocks from the broker's stream, at a node: those of the last hour when it starts, and each as it comes. What
// a front has submitted here directly is not judged again. A block whose parent is unknown waits for the next tips.
// Used by publisher.ts.
import { createHash } from 'node:crypto';
import { submittedHash } from '../block-hash.js';
import { type FoundMessage, readFound } from '../messages.js';
import { Joiner } from '../pieces.js';
import { judge } from '../verdicts.js';
import type { AnswerCall } from './answers.js';

export interface FoundInboxDeps {
  /** Whether fronts of an account may submit blocks. */
  admits(account: string): boolean;
  /** Hands a submission to the node thread. @returns 0 when too much is under way */
  run(call: AnswerCall, done: (status: number, body: Uint8Array | string) => void): number;
  /** The node has a block that was found. */
  known(hash: string): void;
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
/** Verdicts on copies of the stream that were judged all the same before the front's own came. */
const MOST_EARLY = 64;
/** Blocks that fronts brought here themselves. */
const MOST_DIRECT = 256;
const KEPT_MS = 3_600_000;

export class FoundInbox {
  readonly #deps: FoundInboxDeps;
  readonly #joiner = new Joiner(MOST_BYTES, MOST_OPEN);
  #waiting: { readonly call: AnswerCall; readonly untilMs: number }[] = [];
  readonly #direct = new Set<string>();
  readonly #early = new Map<string, Early>();
  judged = 0;

  constructor(deps: FoundInboxDeps) {
    this.#deps = deps;
  }

  /** A message of the stream. */
  take(account: string, bytes: Uint8Array): void {
    if (!this.#deps.admits(account)) return;
    const message = readFound(bytes);
    const whole = message && this.#joiner.add(`${account}/${message.id}`, message);
    if (!message || !whole || message.bodyBytes > whole.length) return;
    const call = callOf(account, message, whole);
    const hash = submittedHash(call);
    if (hash === null || this.#direct.has(hash)) return;
    this.#deps.after(LATER_MS, () => {
      if (!this.#direct.has(hash)) this.#submit(call);
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
   * A front has brought a block here itself: the stream's copy need not be judged.
   * @param done told the verdict on the copy when that was judged already: this call is the same one
   * @returns what has to be told the verdict; null when `done` is told it
   */
  direct(call: AnswerCall, done: Verdict): Verdict | null {
    const hash = submittedHash(call);
    if (hash === null) return () => {};
    const key = keyOf(call);
    const early = this.#early.get(key);
    this.#early.delete(key);
    if (early) {
      if (early.reply) done(early.reply.status, early.reply.body);
      else early.done = done;
      return null;
    }
    this.#direct.add(hash);
    if (this.#direct.size > MOST_DIRECT) this.#direct.delete(this.#direct.values().next().value as string);
    const copy = {
      ...call,
      body: new Uint8Array(call.body),
      block: call.block && { ...call.block, bytes: new Uint8Array(call.block.bytes) },
    };
    return (status, body) => {
      const { isUndecided, isKnown } = judge(call.method, { status, body }, true);
      if (isUndecided) this.#undecided(copy);
      if (isKnown) this.#deps.known(hash);
    };
  }

  #undecided(call: AnswerCall): void {
    this.#waiting.push({ call, untilMs: this.#deps.nowMs() + KEPT_MS });
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
  }

  #submit(call: AnswerCall): void {
    const block = call.block && { token: call.block.token, bytes: new Uint8Array(call.block.bytes) };
    const early: Early = { reply: null, done: null };
    this.#early.set(keyOf(call), early);
    if (this.#early.size > MOST_EARLY) this.#early.delete(this.#early.keys().next().value as string);
    const number = this.#deps.run({ ...call, body: new Uint8Array(call.body), block }, (status, body) => {
      this.judged++;
      const own = typeof body === 'string' ? body : new Uint8Array(body);
      early.reply = { status, body: own };
      early.done?.(status, own);
      const { words, isUndecided, isKnown } = judge(call.method, { status, body }, true);
      if (words !== 'duplicate') this.#deps.log(`fleet: a found block of ${call.user}: ${words}`);
      if (isUndecided) this.#undecided(call);
      const hash = submittedHash(call);
      if (isKnown && hash !== null) this.#deps.known(hash);
    });
    // Looked at again with the next tip.
    if (number === 0) {
      this.#early.delete(keyOf(call));
      this.#undecided(call);
    }
  }
}

const keyOf = ({ body }: AnswerCall): string => createHash('sha256').update(body).digest('hex');

function callOf(account: string, { user, uri, method, bodyBytes, token }: FoundMessage, whole: Uint8Array): AnswerCall {
  const block = token === '' ? null : { token, bytes: new Uint8Array(whole.subarray(bodyBytes)) };
  return { user: `${account}/${user}`, uri, method, plain: true, body: new Uint8Array(whole.subarray(0, bodyBytes)), block };
}
