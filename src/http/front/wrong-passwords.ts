// Delays replies to wrong credentials by 250 ms, as Core does, but with a timer that blocks nothing. Limits how many
// replies wait, in total and per address, and how many lines they write to the log.
import type { Exchange } from './exchange.js';

// Core's delay in milliseconds.
const DELAY_MS = 250;
// Maximum number of sockets that wait. Further sockets are closed at once. This tells an attacker nothing new: right
// credentials are not delayed, so the delay alone already shows that the credentials are wrong.
const MOST_WAITING = 1024;
// Maximum number of sockets of one address that wait. Core's four threads answer four guesses per 250 ms, from all
// clients together.
const MOST_OF_ADDRESS = 4;
// Maximum number of log lines per second: the node thread writes them, and has other work during a flood.
const LINES_PER_SECOND = 20;

export class WrongPasswords {
  readonly #warn: (line: string) => void;
  #waiting = 0;
  /** Number of waiting sockets by address. */
  readonly #waitingOf = new Map<string, number>();
  #second = 0;
  #lines = 0;
  readonly #nowMs: () => number;

  /** @param warn writes to the log @param nowMs a monotonic clock, in milliseconds */
  constructor(warn: (line: string) => void, nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#warn = warn;
  }

  /** Calls `then` after the delay. Closes the connection if too many wait already. @param address of the client */
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
