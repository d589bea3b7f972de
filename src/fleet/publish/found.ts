// Found blocks from the broker's stream, at a node: those of the last hour when it starts, and each as it comes. What
// a front has submitted here directly is not judged again. A block whose parent is unknown waits for the next tips.
// Used by publisher.ts.
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
  log(text: string): void;
  nowMs(): number;
}

const MOST_BYTES = 64 << 20;
const MOST_OPEN = 64;
const MOST_WAITING = 16;
/** Blocks that fronts brought here themselves. */
const MOST_DIRECT = 256;
const KEPT_MS = 3_600_000;

export class FoundInbox {
  readonly #deps: FoundInboxDeps;
  readonly #joiner = new Joiner(MOST_BYTES, MOST_OPEN);
  #waiting: { readonly call: AnswerCall; readonly untilMs: number }[] = [];
  readonly #direct = new Set<string>();
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
    if (hash === null || !this.#direct.has(hash)) this.#submit(call);
  }

  /** Another tip: blocks that waited for their parents may go on. */
  tipChanged(): void {
    const now = this.#deps.nowMs();
    const waiting = this.#waiting.filter(({ untilMs }) => untilMs > now);
    this.#waiting = [];
    for (const { call } of waiting) this.#submit(call);
  }

  /**
   * A front has brought a block here itself: the stream's copy need not be judged. @returns what has to be told the
   * verdict
   */
  direct(call: AnswerCall): (status: number, body: Uint8Array | string) => void {
    const hash = submittedHash(call);
    if (hash === null) return () => {};
    this.#direct.add(hash);
    if (this.#direct.size > MOST_DIRECT) this.#direct.delete(this.#direct.values().next().value as string);
    const copy = {
      ...call,
      body: new Uint8Array(call.body),
      block: call.block && { ...call.block, bytes: new Uint8Array(call.block.bytes) },
    };
    return (status, body) => {
      if (judge(call.method, { status, body }, true).isUndecided) this.#undecided(copy);
    };
  }

  #undecided(call: AnswerCall): void {
    this.#waiting.push({ call, untilMs: this.#deps.nowMs() + KEPT_MS });
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
  }

  #submit(call: AnswerCall): void {
    const block = call.block && { token: call.block.token, bytes: new Uint8Array(call.block.bytes) };
    const number = this.#deps.run({ ...call, body: new Uint8Array(call.body), block }, (status, body) => {
      this.judged++;
      const { words, isUndecided } = judge(call.method, { status, body }, true);
      if (words !== 'duplicate') this.#deps.log(`fleet: a found block of ${call.user}: ${words}`);
      if (isUndecided) this.#undecided(call);
    });
    // Looked at again with the next tip.
    if (number === 0) this.#undecided(call);
  }
}

function callOf(account: string, { user, uri, method, bodyBytes, token }: FoundMessage, whole: Uint8Array): AnswerCall {
  const block = token === '' ? null : { token, bytes: new Uint8Array(whole.subarray(bodyBytes)) };
  return { user: `${account}/${user}`, uri, method, plain: true, body: new Uint8Array(whole.subarray(0, bodyBytes)), block };
}
