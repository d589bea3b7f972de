// Names on the broker. README.md shows who publishes and who listens.

/** Subjects of one chain. */
export class Subjects {
  readonly #chain: string;

  /** @param chain Core's name of it */
  constructor(chain: string) {
    this.#chain = chain;
  }

  /** Facts of a node; '*' for all. */
  fact(node: string): string {
    return `adit.${this.#chain}.fact.${node}`;
  }

  /** Bucket of the newest templates. */
  get bucket(): string {
    return `adit-${this.#chain}`;
  }

  /** Key of a template's head in the bucket. */
  headKey(node: string): string {
    return `${node}.head`;
  }

  /** Key of a piece; '*' for all. */
  pieceKey(node: string, piece: number | '*'): string {
    return `${node}.piece.${piece}`;
  }

  /** Subject under which a key is stored: publishing there tells listeners and the store at once. */
  stored(key: string): string {
    return `$KV.${this.bucket}.${key}`;
  }

  /** Calls to a node; '*' as account for those of all. */
  call(node: string, account: string): string {
    return `adit.${this.#chain}.call.${node}.${account}`;
  }

  /** Found blocks; '*' for those of all accounts. */
  found(account: string): string {
    return `adit.${this.#chain}.found.${account}`;
  }

  /** Stream of found blocks. */
  get foundStream(): string {
    return `adit-${this.#chain}-found`;
  }
}

/** The account in a subject of calls or found blocks: its last part. */
export function accountOf(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}
