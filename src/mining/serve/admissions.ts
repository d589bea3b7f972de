// Bounds the connections of a serving thread: all together, and those from one address of another machine. Connections
// that have only opened give way to newer ones; clients that have finished their handshake never do.

/** A connection, as far as the bounds are concerned. */
interface Admitted {
  /** Name under which it is counted (source.ts); null: this machine, which has no bound of its own. */
  readonly source: string | null;
}

export interface AdmissionOptions<C> {
  readonly most: number;
  readonly perAddress: number;
  /** Option that sets `perAddress`, for the log. */
  readonly perAddressOption: string;
  /** Ends a connection, which calls `remove`. */
  readonly evict: (connection: C) => void;
}

export class Admissions<C extends Admitted> {
  readonly #options: AdmissionOptions<C>;
  readonly #sources = new Map<string, number>();
  readonly #pending = new Set<C>();
  #size = 0;

  constructor(options: AdmissionOptions<C>) {
    this.#options = options;
  }

  /** Connections before the end of their handshake, oldest first. */
  get pending(): ReadonlySet<C> {
    return this.#pending;
  }
  /** Number of connections. */
  get size(): number {
    return this.#size;
  }

  /** Makes sure that one more connection is within the bounds. @returns why it is not; null if it is */
  refusal(source: string | null): string | null {
    const { most, perAddress, perAddressOption } = this.#options;
    if (source !== null && (this.#sources.get(source) ?? 0) >= perAddress && !this.#evictOldest((one) => one.source === source)) {
      return `${perAddress} are open from there (-${perAddressOption})`;
    }
    return this.#size >= most && !this.#evictOldest(() => true) ? `${most} are open` : null;
  }

  add(connection: C): void {
    const { source } = connection;
    this.#size++;
    this.#pending.add(connection);
    if (source !== null) this.#sources.set(source, (this.#sources.get(source) ?? 0) + 1);
  }

  /** Moves a connection whose handshake is under way behind the others. */
  renew(connection: C): boolean {
    if (!this.#pending.delete(connection)) return false;
    this.#pending.add(connection);
    return true;
  }

  /** The handshake has ended. @returns false if it had ended before */
  settle(connection: C): boolean {
    return this.#pending.delete(connection);
  }

  /** The connection is gone. Call it once for each. @returns whether its handshake had not ended */
  remove(connection: C): boolean {
    const { source } = connection;
    this.#size--;
    if (source !== null) {
      const left = (this.#sources.get(source) ?? 1) - 1;
      if (left > 0) this.#sources.set(source, left);
      else this.#sources.delete(source);
    }
    return this.#pending.delete(connection);
  }

  /** @returns false if there is none to evict */
  #evictOldest(matches: (connection: C) => boolean): boolean {
    for (const connection of this.#pending) {
      if (!matches(connection)) continue;
      this.#options.evict(connection);
      return true;
    }
    return false;
  }
}
