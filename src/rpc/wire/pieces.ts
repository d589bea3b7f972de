// Long text put together from many pieces. Strings made by adding are trees inside the engine, and turning one of 30 MB
// into bytes holds its thread for hundreds of milliseconds; here every few pieces become one flat string as they come.
// Used where replies are rendered in slices.

/** Pieces that are made flat together: a fraction of a millisecond's work for entries of ordinary size. */
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

  /** All pieces, separated. */
  text(): string {
    return (this.#group.length > 0 ? [...this.#groups, this.#group.join(this.#separator)] : this.#groups).join(this.#separator);
  }
}
