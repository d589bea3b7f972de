import { declare } from '../../declare/parameters.js';
import { hex, num, obj } from '../../declare/parts.js';

export const getblockfrompeer = declare({
  name: 'getblockfrompeer',
  category: 'blockchain',
  runs: 'node',
  description:
    'Requests a block from a peer. The node must know the header of the block and must not have the block.\nThe call does not wait for the block. The peer may not send it.',
  args: [
    hex('blockhash', 'The block.', { as: 'hash hex' }),
    num('peer_id', 'Number of the peer as getpeerinfo shows it.', { as: 'int64' }),
  ],
  results: [obj([])],
  examples: [
    {
      cli: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09" 0',
      rpc: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09", 0',
    },
  ],
});
