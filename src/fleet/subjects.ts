// Names on the broker: subjects, bucket and stream. README.md shows who publishes and who subscribes.

/** Names of one chain. */
export class Subjects {
  readonly #chain: string;

  /** @param chain Core's name of the chain */
  constructor(chain: string) {
    this.#chain = chain;
  }

  /** Subject of a node's facts; '*' for all nodes. */
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

  /** Key of a piece of a node's template; '*' for all pieces. */
  pieceKey(node: string, piece: number | '*'): string {
    return `${node}.piece.${piece}`;
  }

  /** Subject under which a key is stored. Publishing there reaches subscribers and the store at once. */
  stored(key: string): string {
    return `$KV.${this.bucket}.${key}`;
  }

  /** Subject of calls to a node; account '*' for all accounts. */
  call(node: string, account: string): string {
    return `adit.${this.#chain}.call.${node}.${account}`;
  }

  /** Subject of found blocks; '*' for all accounts. */
  found(account: string): string {
    return `adit.${this.#chain}.found.${account}`;
  }

  /** Subject of shares of Stratum V1 miners. */
  share(account: string): string {
    return `adit.${this.#chain}.share.${account}`;
  }

  get foundStream(): string {
    return `adit-${this.#chain}-found`;
  }
}

/** Returns the account in a subject of calls or found blocks: its last part. */
export function accountOf(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}
