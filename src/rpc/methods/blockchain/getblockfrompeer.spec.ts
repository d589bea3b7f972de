import { hex, num, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getblockfrompeer: MethodSpec = {
  name: 'getblockfrompeer',
  category: 'blockchain',
  runs: 'node',
  description: 'Asks a peer for a block whose header is known and whose bytes are not. The block comes later, if at all.',
  args: [hex('blockhash', 'The block.'), num('peer_id', 'Number of the peer as getpeerinfo shows it.')],
  results: [obj([])],
  examples: [
    {
      cli: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09" 0',
      rpc: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09", 0',
    },
  ],
};
