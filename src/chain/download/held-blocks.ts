// Bytes of arrived blocks that the download engine has not connected yet. Blocks are stored once they are connected, so
// until then their bytes are only here.

import type { HeaderNode } from '../tree/header-node.js';

/** Bytes above which senders wait, and bytes above which no block is taken. */
const WAIT_BYTES = 16 << 20;
const MAX_BYTES = 128 << 20;

interface Held {
  readonly bytes: Uint8Array;
  readonly sender: object;
  readonly end: (stored: boolean) => void;
}

export class HeldBlocks {
  readonly #blocks = new Map<HeaderNode, Held>();
  #bytes = 0;
  #waiters: (() => void)[] = [];
  readonly #starved: () => boolean;

  /** @param starved returns whether the engine lacks the block that it connects next. Senders must not wait then */
  constructor(starved: () => boolean) {
    this.#starved = starved;
  }

  get size(): number {
    return this.#blocks.size;
  }

  bytesOf(node: HeaderNode): Uint8Array | null {
    return this.#blocks.get(node)?.bytes ?? null;
  }

  /**
   * Holds a block.
   * @param sender of the block, for `giveBack`
   * @returns resolves with whether the block was stored; null if it is held already or the space is full
   */
  hold(node: HeaderNode, bytes: Uint8Array, sender: object): Promise<boolean> | null {
    if (this.#blocks.has(node) || this.#bytes + bytes.length > MAX_BYTES) return null;
    return new Promise((end) => {
      this.#blocks.set(node, { bytes, sender, end });
      this.#bytes += bytes.length;
    });
  }

  /** Resolves when another block may be sent; undefined if it may be sent now. */
  whenNotFull(): Promise<void> | undefined {
    if (this.#bytes < WAIT_BYTES || this.#starved()) return undefined;
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** @param stored false gives the bytes back to the caller of `hold` */
  end(node: HeaderNode, stored: boolean): void {
    const held = this.#blocks.get(node);
    if (held === undefined) return;
    this.#blocks.delete(node);
    this.#bytes -= held.bytes.length;
    held.end(stored);
    if (this.#bytes < WAIT_BYTES) this.releaseWaiters();
  }

  /** Gives back a block, and all blocks of its sender above it. @returns false if the block is not held */
  giveBack(node: HeaderNode): boolean {
    const held = this.#blocks.get(node);
    if (held === undefined) return false;
    this.#endIf((other, { sender }) => sender === held.sender && other.height >= node.height);
    return true;
  }

  /** Gives back the blocks that are not on the branch of `best`. */
  giveBackOthers(best: HeaderNode): void {
    this.#endIf((node) => best.ancestor(node.height) !== node);
  }

  /** Gives all bytes back. */
  endAll(): void {
    this.#endIf(() => true);
    this.releaseWaiters();
  }

  #endIf(ends: (node: HeaderNode, held: Held) => boolean): void {
    const ended = [...this.#blocks].filter(([node, held]) => ends(node, held)).map(([node]) => node);
    for (const node of ended.sort((a, b) => a.height - b.height)) this.end(node, false);
  }

  releaseWaiters(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}
