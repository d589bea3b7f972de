// RequestTransactionData answered in turn: one answer of a client at a time, so that each holds one block's
// transactions at most, and eight of all clients, so that they hold eight together. Clients take turns, and one that is
// slow to read keeps its place only while no other wants it.
import type { Clock } from '../../lib/clock.js';
import type { Client } from './client.js';
import type { TemplateTable } from './template-table.js';

const MOST_REQUESTS = 64;
const MOST_ANSWERING = 8;
/** An answer may take so long while others wait for a place: 4 MB at 6 Mbit/s. */
const PLACE_MS = 5_000;

export class TransactionAnswers {
  readonly #table: TemplateTable;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** Clients with questions that wait. */
  readonly #asking = new Set<Client>();
  /** Clients whose answer is on its way, and since when, by the monotonic clock. */
  readonly #answering = new Map<Client, number>();

  constructor(board: TemplateTable, clock: Pick<Clock, 'monotonicMs'>) {
    this.#table = board;
    this.#clock = clock;
  }

  /** @returns false when the client has too many questions open */
  request(client: Client, id: bigint): boolean {
    if (client.requests.length >= MOST_REQUESTS) return false;
    client.requests.push(id);
    this.#asking.add(client);
    this.#answer();
    return true;
  }

  /** The client has gone. */
  forgetClient(client: Client): void {
    this.#asking.delete(client);
    this.#answered(client);
  }

  #answer(): void {
    for (const client of [...this.#asking]) {
      if (this.#answering.size >= MOST_ANSWERING) return;
      while (client.requests.length > 0 && !this.#answering.has(client)) this.#answerOne(client, client.requests.shift() as bigint);
      this.#asking.delete(client);
      // Behind those that wait already.
      if (client.requests.length > 0) this.#asking.add(client);
    }
  }

  /** Who keeps a place that others wait for. */
  overdueClients(nowMs: number): Client[] {
    if (this.#answering.size < MOST_ANSWERING) return [];
    if (![...this.#asking].some((client) => !this.#answering.has(client))) return [];
    return [...this.#answering].filter(([, sinceMs]) => nowMs - sinceMs > PLACE_MS).map(([client]) => client);
  }

  #answerOne(client: Client, id: bigint): void {
    const data = this.#table.data(id, client.staleBelow, this.#clock.monotonicMs());
    if (typeof data === 'string') {
      client.sendDataError(id, data);
      return;
    }
    this.#answering.set(client, this.#clock.monotonicMs());
    client.answering = true;
    client.sendData(data, () => this.#answered(client));
  }

  #answered(client: Client): void {
    if (!this.#answering.delete(client)) return;
    client.answering = false;
    this.#answer();
  }
}
