// Builds long text from many pieces. Concatenated strings are trees inside the engine, and converting one of 30 MB to
// bytes blocks its thread for hundreds of milliseconds. Here every few pieces become one flat string immediately.

/** Number of pieces that are joined together: a fraction of a millisecond for entries of ordinary size. */
const GROUP = 64;

export class Pieces {
  readonly #separator: string;
  readonly #groups: string[] = [];
  #group: string[] = [];

  constructor(separator: string) {
    this.#separator = separator;
  }

  add(text: string): void {
    if (this.#group.push(text) < GROUP) return;
    this.#groups.push(this.#group.join(this.#separator));
    this.#group = [];
  }

  /** Returns all pieces, joined by the separator. */
  text(): string {
    return (this.#group.length > 0 ? [...this.#groups, this.#group.join(this.#separator)] : this.#groups).join(this.#separator);
  }
}
