import { hashFromHex } from '../../../consensus/bytes/hex.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hex, num, obj } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';

export const spec = declare({
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

export const getblockfrompeer: NodeRun<typeof spec> = (params, ctx) => {
  const hash = hashFromHex(params.blockhash);
  const fault = ctx.network.control.fetchBlock(hash, Number(params.peer_id));
  return fault === null ? {} : fail(RPC_CODE.MISC_ERROR, fault);
};
