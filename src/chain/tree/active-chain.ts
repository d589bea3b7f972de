// The active chain, by height.

import type { HeaderNode } from './header-node.js';

/** List of nodes whose index is the height. */
export class ActiveChain {
  readonly #nodes: HeaderNode[] = [];

  /** The tip; undefined before genesis was loaded. */
  get tip(): HeaderNode | undefined {
    return this.#nodes[this.#nodes.length - 1];
  }

  get height(): number {
    return this.#nodes.length - 1;
  }

  at(height: number): HeaderNode | undefined {
    return this.#nodes[height];
  }

  contains(node: HeaderNode): boolean {
    return this.#nodes[node.height] === node;
  }

  next(node: HeaderNode): HeaderNode | undefined {
    return this.contains(node) ? this.#nodes[node.height + 1] : undefined;
  }

  /** Makes a node the tip. Rewrites only the heights at which the chain differs. */
  setTip(tip: HeaderNode): void {
    this.#nodes.length = Math.min(this.#nodes.length, tip.height + 1);
    // Fill the array upwards first, which keeps it dense when the loop below writes a long branch from its end to its
    // start.
    for (let height = this.#nodes.length; height <= tip.height; height++) this.#nodes.push(tip);
    for (let node: HeaderNode | null = tip; node !== null && (node === tip || this.#nodes[node.height] !== node); node = node.prev) {
      this.#nodes[node.height] = node;
    }
  }

  /** Returns the last block of this chain that is the node or one of its ancestors. */
  fork(node: HeaderNode): HeaderNode | null {
    let walk: HeaderNode | null = node.ancestor(Math.min(node.height, this.height));
    while (walk !== null && !this.contains(walk)) walk = walk.prev;
    return walk;
  }
}
