// RequestTransactionData answered in turn: one answer of a client at a time, so that each holds one block's transactions at most, and eight of all
// clients, so that they hold eight together.
import type { Board } from './board.js';
import type { Client } from './client.js';

const MOST_REQUESTS = 64;
const MOST_ANSWERING = 8;

export class TransactionAnswers {
  readonly #board: Board;
  /** Clients with questions that wait. */
  readonly #asking = new Set<Client>();
  #answering = 0;

  constructor(board: Board) {
    this.#board = board;
  }

  /** @returns false when the client has too many questions open */
  ask(client: Client, id: bigint): boolean {
    if (client.requests.length >= MOST_REQUESTS) return false;
    client.requests.push(id);
    this.#asking.add(client);
    this.#answer();
    return true;
  }

  /** The client has gone. */
  forget(client: Client): void {
    this.#asking.delete(client);
    this.#answered(client);
  }

  #answer(): void {
    for (const client of [...this.#asking]) {
      if (this.#answering >= MOST_ANSWERING) return;
      while (client.requests.length > 0 && !client.answering) this.#answerOne(client, client.requests.shift() as bigint);
      if (client.requests.length === 0) this.#asking.delete(client);
    }
  }

  #answerOne(client: Client, id: bigint): void {
    const data = this.#board.data(id, client.staleBelow, performance.now());
    if (typeof data === 'string') {
      client.sendDataError(id, data);
      return;
    }
    this.#answering++;
    client.answering = true;
    client.sendData(data, () => this.#answered(client));
  }

  #answered(client: Client): void {
    if (!client.answering) return;
    client.answering = false;
    this.#answering--;
    this.#answer();
  }
}
