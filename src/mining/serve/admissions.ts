// Limits the connections of a serving thread, in total and for each address of another machine. At the limit, the oldest
// connection that has not finished its handshake is closed for a new one. Clients that have finished it are never closed.

/** The part of a connection that the limits need. */
interface Admitted {
  /** Name under which the connection is counted (source.ts); null for this machine, which has only the total limit. */
  readonly source: string | null;
}

export interface AdmissionOptions<C> {
  readonly most: number;
  readonly perAddress: number;
  /** Name of the option that sets `perAddress`, for the log. */
  readonly perAddressOption: string;
  /** Closes a connection and so calls `remove`. */
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
  get size(): number {
    return this.#size;
  }

  /** Makes space for one more connection. @returns why the connection is refused; null if it may be added */
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

  /** Moves a connection whose handshake makes progress to the end of the eviction order. @returns false if its handshake had finished */
  renew(connection: C): boolean {
    if (!this.#pending.delete(connection)) return false;
    this.#pending.add(connection);
    return true;
  }

  /** Called when a handshake has finished. @returns false if it had finished before */
  settle(connection: C): boolean {
    return this.#pending.delete(connection);
  }

  /** Called once for each connection, when it is closed. @returns true if its handshake had not finished */
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

  /** Evicts the oldest matching connection before the end of its handshake. @returns false if there is none */
  #evictOldest(matches: (connection: C) => boolean): boolean {
    for (const connection of this.#pending) {
      if (!matches(connection)) continue;
      this.#options.evict(connection);
      return true;
    }
    return false;
  }
}
