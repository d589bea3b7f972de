// Wrong credentials wait a quarter of a second, as Core has it, by a timer that holds nothing else; how many may wait,
// in all and of one address, and how many lines they write is bounded. Used by front.ts.
import type { Exchange } from './exchange.js';

// Core's delay.
const DELAY_MS = 250;
// So many sockets may wait; the next ones are cut off at once, which tells a guesser nothing sooner.
const MOST_WAITING = 1024;
// Core's four threads answer four guesses in a quarter of a second, from any number of clients.
const MOST_OF_ADDRESS = 4;
// The node thread writes the log, and has other work in a flood.
const LINES_PER_SECOND = 20;

export class WrongPasswords {
  readonly #warn: (line: string) => void;
  #waiting = 0;
  /** Those that wait, by address. */
  readonly #waitingOf = new Map<string, number>();
  #second = 0;
  #lines = 0;
  readonly #nowMs: () => number;

  /** @param warn writes to the log @param nowMs a monotonic clock's milliseconds */
  constructor(warn: (line: string) => void, nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#warn = warn;
  }

  /** Lets an exchange wait, then calls back; cuts it off when too many wait already. @param address of the client */
  delayReply(exchange: Exchange, address: string, then: () => void): void {
    const sameAddress = this.#waitingOf.get(address) ?? 0;
    if (this.#waiting >= MOST_WAITING || sameAddress >= MOST_OF_ADDRESS) {
      exchange.close();
      return;
    }
    this.#waiting++;
    this.#waitingOf.set(address, sameAddress + 1);
    this.#logAttempt(address);
    setTimeout(() => {
      this.#waiting--;
      const left = (this.#waitingOf.get(address) ?? 1) - 1;
      if (left > 0) this.#waitingOf.set(address, left);
      else this.#waitingOf.delete(address);
      then();
    }, DELAY_MS);
  }

  #logAttempt(address: string): void {
    const second = Math.floor(this.#nowMs() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#lines = 0;
    }
    if (++this.#lines > LINES_PER_SECOND) return;
    const more = this.#lines === LINES_PER_SECOND ? ', further attempts of this second are only counted' : '';
    this.#warn(`ThreadRPCServer incorrect password attempt from ${address}${more}`);
  }
}
