// Block locators: hashes from a block back to genesis, at first one by one, then ever farther apart.
import type { ChainView, HeaderNode } from '../../chain/index.js';

/** Number of hashes taken one by one. */
const DENSE = 10;

/** Returns the locator of a block (Core's CChain::GetLocator). */
export function locatorOf(node: HeaderNode): Uint8Array[] {
  const hashes: Uint8Array[] = [];
  let step = 1;
  for (let walk: HeaderNode | null = node; walk !== null; ) {
    hashes.push(walk.hash);
    if (walk.height === 0) break;
    walk = walk.ancestor(Math.max(walk.height - step, 0));
    if (hashes.length > DENSE) step *= 2;
  }
  return hashes;
}

/** Returns the block at which a peer's locator meets the active chain; genesis if it does not. */
export function forkOfLocator(chain: ChainView, locator: readonly Uint8Array[]): HeaderNode {
  for (const hash of locator) {
    const node = chain.node(hash);
    if (node === undefined) continue;
    if (chain.contains(node)) return node;
    if (node.descendsFrom(chain.tip)) return chain.tip;
  }
  return chain.genesis;
}
