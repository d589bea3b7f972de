// Publishes records of shares on the broker, for accounting programs of a pool. The broker does not store them. Bounded:
// while the broker has not confirmed MOST_WAITING_BYTES, further records are lost.
import type { Broker } from './broker.js';

const MOST_WAITING_BYTES = 4 << 20;

export class ShareOutlet {
  readonly #subject: string;
  #waitingBytes = 0;

  constructor(subject: string) {
    this.#subject = subject;
  }

  /** Publishes records. Resolves with true when the broker has them, and with false if it may not have them. */
  async publishShares(broker: Pick<Broker, 'connected' | 'publish' | 'flush'> | null, records: Uint8Array): Promise<boolean> {
    if (broker === null || !broker.connected || this.#waitingBytes + records.length > MOST_WAITING_BYTES) return false;
    this.#waitingBytes += records.length;
    try {
      if (!broker.publish(this.#subject, records)) return false;
      await broker.flush();
      return true;
    } catch {
      return false;
    } finally {
      this.#waitingBytes -= records.length;
    }
  }
}
