// Counts how often nodes ran calls that must run once. Each call gives a nonexistent transaction a priority of one
// satoshi, which nodes add up and keep across a clean stop.
import type { Daemon } from '../framework/daemon.js';
import type { Member } from './world.js';

/** Reads from the nodes how often calls ran: their priorities by transaction. */
export class Marks {
  readonly seen = new Map<string, number>();
  readonly #byNode = new Map<string, Map<string, number>>();

  constructor(private readonly nodes: readonly Member<Daemon>[]) {}

  async lookAll(): Promise<void> {
    await Promise.all(this.nodes.map((node) => this.look(node)));
  }

  async look({ name, process }: Member<Daemon>): Promise<void> {
    const body = JSON.stringify({ id: 1, method: 'getprioritisedtransactions', params: [] });
    const reply = await process.post(body, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
    if (reply?.status !== 200) return;
    const found: Record<string, { fee_delta: number }> = JSON.parse(reply.body).result;
    const own = this.#byNode.get(name) ?? new Map<string, number>();
    this.#byNode.set(name, own);
    for (const [mark, { fee_delta }] of Object.entries(found)) {
      own.set(mark, Math.max(own.get(mark) ?? 0, fee_delta));
      this.seen.set(
        mark,
        [...this.#byNode.values()].reduce((sum, marks) => sum + (marks.get(mark) ?? 0), 0),
      );
    }
  }
}
