import type { HeaderInfo } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { HEADER_MEMBERS, HEADER_TAIL } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, hash, hex, num, obj } from '../../declare/parts.js';
import { notFound } from '../../node/lookup.js';
import { blockFacts } from '../../node/read-facts.js';
import { headerHead, headerTail } from '../../render/header.js';
import { bytesHex } from '../../render/hex.js';
import type { JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'getblockheader',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: 'blocks',
  description: 'Returns a block header as an object, or as hex if verbose is false.',
  args: [
    hash('blockhash', 'The block hash', { errorName: 'hash' }),
    bool('verbose', 'true for an object, false for hex', { default: 'true' }),
  ],
  results: [
    obj({ when: 'for verbose = true' }, [
      hex('hash', 'The block hash'),
      num('confirmations', 'Confirmations, -1 off the best chain'),
      ...HEADER_MEMBERS,
      ...HEADER_TAIL,
    ]),
    hex('The header', { when: 'for verbose = false' }),
  ],
  examples: [
    {
      cli: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"',
      rpc: '"00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09"',
    },
  ],
});

function headerMembers(ctx: NodeContext, node: HeaderInfo): Record<string, JsonResult> {
  const facts = blockFacts(ctx, node);
  const { version, time, bits, nonce, merkleRoot, txCount } = node;
  const shown = { ...facts, version, time, bits, nonce, merkleRoot, txCount, prevHash: node.prev === null ? null : node.prevHash };
  return { hash: node.hashHex, confirmations: facts.confirmations, ...headerHead(shown), ...headerTail(shown) };
}

export const getblockheader: NodeRun<typeof spec> = ({ blockhash: hash, verbose }, ctx) => {
  const node = ctx.chain.node(hash) ?? notFound();
  if (!verbose) return bytesHex(node.headerBytes);
  return headerMembers(ctx, node);
};
