// Shared by methods that show the state of the chain.
import { NEVER_HEIGHT } from '../../consensus/params/deployment.js';
import type { NodeContext } from '../context/node.js';

/** Returns the activation heights of buried soft forks. */
export function buriedHeights({ chain: { params } }: NodeContext): (readonly [name: string, height: number])[] {
  const all: readonly (readonly [string, number])[] = [
    ['bip34', params.bip34Height],
    ['bip66', params.bip66Height],
    ['bip65', params.bip65Height],
    ['csv', params.csvHeight],
    ['segwit', params.segwitHeight],
  ];
  return all.filter(([, height]) => height !== NEVER_HEIGHT);
}
