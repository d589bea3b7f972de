// Sends webhooks (-notifyurl): events as JSON by POST, in order, with retries while the receiver is unavailable. A slow
// or missing receiver costs a limited queue and nothing else.
import type { Logger } from '../log/logger.js';

/** An event; `event` is its kind: block, startup, or alert. */
export type HookEvent = { readonly event: string } & Readonly<Record<string, string | number>>;

const mostWaiting = 256;
const timeoutMs = 10_000;

/** Pauses between retries. After the last one the event is dropped. */
export const retryPausesMs: readonly number[] = [500, 1000, 2000, 4000, 8000];

class Receiver {
  readonly #url: string;
  readonly #log: Logger;
  readonly #pausesMs: readonly number[];
  readonly #queue: HookEvent[] = [];
  readonly #ending = new AbortController();
  #busy = false;
  #dropped = 0;

  constructor(url: string, log: Logger, pausesMs: readonly number[]) {
    this.#url = url;
    this.#log = log;
    this.#pausesMs = pausesMs;
  }

  push(event: HookEvent): void {
    if (this.#queue.length >= mostWaiting) {
      this.#queue.shift();
      if (this.#dropped++ === 0) this.#log.warn('-notifyurl: A receiver is too slow. Its oldest events are dropped.');
    }
    this.#queue.push(event);
    if (!this.#busy) void this.#work();
  }

  close(): void {
    this.#queue.length = 0;
    this.#ending.abort();
  }

  async #work(): Promise<void> {
    this.#busy = true;
    for (let event = this.#queue.shift(); event; event = this.#queue.shift()) await this.#deliver(event);
    this.#busy = false;
  }

  async #deliver(event: HookEvent): Promise<void> {
    let problem = '';
    for (let tries = 0; ; tries++) {
      try {
        const reply = await fetch(this.#url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(event),
          // Do not follow redirects: a receiver could send the node's requests into the node's own network.
          redirect: 'manual',
          signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(timeoutMs)]),
        });
        await reply.body?.cancel();
        if (reply.ok) return;
        problem = `HTTP ${reply.status}`;
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
      }
      const pauseMs = this.#pausesMs[tries];
      if (this.#ending.signal.aborted) return;
      if (pauseMs === undefined) break;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        this.#ending.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    this.#log.warn(`-notifyurl: A ${event.event} event could not be delivered: ${problem}. Check the receiver.`);
  }
}

export class Webhooks {
  readonly #receivers: readonly Receiver[];

  /** @param pausesMs pauses between retries */
  constructor(urls: readonly string[], log: Logger, pausesMs: readonly number[] = retryPausesMs) {
    this.#receivers = urls.map((url) => new Receiver(url, log, pausesMs));
  }

  send(event: HookEvent): void {
    for (const receiver of this.#receivers) receiver.push(event);
  }

  close(): void {
    for (const receiver of this.#receivers) receiver.close();
  }
}
