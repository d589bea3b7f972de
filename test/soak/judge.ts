// The second process of a soak: every template that anybody was given is proposed to it once.
import type { SoakClient } from './soak-client.js';
import { blockOf, type Template } from './template-block.js';

export class Judge {
  /** Verdicts that were given. */
  judged = 0;
  /** Templates whose tip was not the judge's any more. */
  late = 0;
  /** Verdicts other than valid. */
  readonly invalid: string[] = [];
  readonly #client: SoakClient;
  readonly #seen = new Set<string>();
  #tail: Promise<void> = Promise.resolve();

  constructor(client: SoakClient) {
    this.#client = client;
  }

  /** Templates by their ids. */
  get seen(): number {
    return this.#seen.size;
  }

  /** Somebody was given this template. @param template called only if nobody was before */
  offer(id: string, template: () => Template): void {
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    const given = template();
    this.#tail = this.#tail.then(() => this.#propose(given)).catch((error: Error) => void this.invalid.push(error.message));
  }

  /**
   * Resolves when everything offered until now is judged. While `move` runs nothing is proposed: the judge's tip moves
   * in it.
   */
  async between<T>(move: () => Promise<T>): Promise<T> {
    const moved = this.#tail.then(move);
    this.#tail = moved.then(
      () => {},
      () => {},
    );
    return moved;
  }

  async #propose(template: Template): Promise<void> {
    const data = blockOf(template, 0, false).bytes.toString('hex');
    const verdict = await this.#client.call('getblocktemplate', { mode: 'proposal', data });
    if (verdict === 'inconclusive-not-best-prevblk') {
      this.late++;
      return;
    }
    this.judged++;
    if (verdict !== null) this.invalid.push(`template ${template.longpollid}: ${verdict}`);
  }
}
