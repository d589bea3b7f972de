// Watches found blocks after they were accepted, and logs which block replaced one that left the best chain. A block is
// checked after its verdict and with every new tip, until it is deep enough.

export interface FoundBlockWatchDeps {
  /** Calls the node. `done` gets the result, null for an error. @returns 0 if too many calls are in progress */
  callNode(method: string, params: readonly unknown[], done: (result: unknown) => void): number;
  /** Height of the tip. */
  height(): number;
  log(text: string): void;
}

interface Watched {
  /** Hash of the other block at the same height that the log has named as the replacement; '' if none was named. */
  reportedRival: string;
}

interface Header {
  readonly height: number;
  readonly confirmations: number;
}

/** Maximum number of watched blocks. If there are more, the oldest is dropped. A pool finds a few blocks per hour. */
const MOST_WATCHED = 64;
/** Depth below the tip at which a block is not watched any more. */
const DEEP = 6;

export class FoundBlockWatch {
  readonly #deps: FoundBlockWatchDeps;
  readonly #watched = new Map<string, Watched>();
  #checking = false;
  #checkAgain = false;

  constructor(deps: FoundBlockWatchDeps) {
    this.#deps = deps;
  }

  get watched(): number {
    return this.#watched.size;
  }

  /** Adds a block to the watched ones. @param hash of a block that the node has, display order */
  watchBlock(hash: string): void {
    if (this.#watched.has(hash)) return;
    this.#watched.set(hash, { reportedRival: '' });
    if (this.#watched.size > MOST_WATCHED) this.#watched.delete(this.#watched.keys().next().value as string);
    this.checkAll();
  }

  /** Checks all watched blocks. To be called with every new tip. */
  checkAll(): void {
    if (this.#checking) {
      this.#checkAgain = true;
      return;
    }
    this.#checking = true;
    this.#checkAgain = false;
    this.#checkNext([...this.#watched.keys()]);
  }

  #checkNext(hashes: readonly string[]): void {
    const [hash, ...rest] = hashes;
    if (hash === undefined) {
      this.#checking = false;
      if (this.#checkAgain) this.checkAll();
      return;
    }
    const goOn = (): void => this.#checkNext(rest);
    const number = this.#deps.callNode('getblockheader', [hash], (result) => {
      const header = result as Header | null;
      if (header === null) goOn();
      else if (header.confirmations >= 0) this.#inChain(hash, header, goOn);
      else this.#reportRival(hash, header, goOn);
    });
    // Too many calls are in progress. The next tip triggers another check.
    if (number === 0) this.#checking = false;
  }

  #inChain(hash: string, { height }: Header, goOn: () => void): void {
    const watched = this.#watched.get(hash);
    if (watched) {
      if (watched.reportedRival !== '') this.#deps.log(`fleet: found block ${hash} is in the best chain again, at height ${height}`);
      watched.reportedRival = '';
    }
    this.#forgetDeep(hash, height);
    goOn();
  }

  #reportRival(hash: string, { height }: Header, goOn: () => void): void {
    const number = this.#deps.callNode('getblockhash', [height], (result) => {
      const watched = this.#watched.get(hash);
      // Otherwise the chain has just become shorter than this height, and the next tip triggers another check.
      if (watched && typeof result === 'string' && result !== hash) {
        if (watched.reportedRival !== result) this.#deps.log(`fleet: found block ${hash} was beaten by ${result} at height ${height}`);
        watched.reportedRival = result;
        this.#forgetDeep(hash, height);
      }
      goOn();
    });
    if (number === 0) this.#checking = false;
  }

  #forgetDeep(hash: string, height: number): void {
    if (this.#deps.height() - height >= DEEP) this.#watched.delete(hash);
  }
}
