// Answers RequestTransactionData: one answer of a client at a time, and at most eight of all clients, so that at most
// eight blocks' transactions are held in memory. Clients are served round robin. A slow client keeps its place only
// while no other client waits.
import type { Clock } from '../../lib/clock.js';
import type { Client } from './client.js';
import type { TemplateTable } from './template-table.js';

const MOST_REQUESTS = 64;
const MOST_ANSWERING = 8;
/** Longest time of an answer while others wait: 4 MB at 6 Mbit/s. */
const PLACE_MS = 5_000;

export class TransactionAnswers {
  readonly #table: TemplateTable;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** Clients with requests that wait. */
  readonly #asking = new Set<Client>();
  /** Clients whose answer is being sent, and the time when it began, by the monotonic clock. */
  readonly #answering = new Map<Client, number>();

  constructor(board: TemplateTable, clock: Pick<Clock, 'monotonicMs'>) {
    this.#table = board;
    this.#clock = clock;
  }

  /** Adds a request. @returns false if the client has too many requests waiting */
  request(client: Client, id: bigint): boolean {
    if (client.requests.length >= MOST_REQUESTS) return false;
    client.requests.push(id);
    this.#asking.add(client);
    this.#answer();
    return true;
  }

  /** Removes a disconnected client. */
  forgetClient(client: Client): void {
    this.#asking.delete(client);
    this.#answered(client);
  }

  #answer(): void {
    for (const client of [...this.#asking]) {
      if (this.#answering.size >= MOST_ANSWERING) return;
      while (client.requests.length > 0 && !this.#answering.has(client)) this.#answerOne(client, client.requests.shift() as bigint);
      this.#asking.delete(client);
      // Move the client behind the clients that wait already.
      if (client.requests.length > 0) this.#asking.add(client);
    }
  }

  /** Clients that are slow while others wait. */
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
