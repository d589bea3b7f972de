import { NODE_WARNINGS } from '../../declare/members.js';
import { amount, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getmininginfo: MethodSpec = {
  name: 'getmininginfo',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Figures about mining on this chain.',
  args: [],
  results: [
    obj([
      num('blocks', 'Height of the tip'),
      num('currentblockweight?', 'Weight of the last block assembled, once there was one'),
      num('currentblocktx?', 'Its transactions without the coinbase'),
      hex('bits', 'Compact target of the tip', { since: 29 }),
      num('difficulty', 'Difficulty of the tip'),
      hex('target', 'Target of the tip', { since: 29 }),
      num('networkhashps', 'Estimated hashes per second of the network'),
      num('pooledtx', 'Transactions in the pool'),
      amount('blockmintxfee', 'Lowest fee rate of templates, BTC/kvB', { since: 30 }),
      str('chain', 'Name of the chain'),
      obj('next', 'The block after the tip', { since: 29 }, [
        num('height', 'Height'),
        hex('bits', 'Compact target'),
        num('difficulty', 'Difficulty'),
        hex('target', 'Target'),
      ]),
      hex('signet_challenge?', 'The block script of a signet', { since: 29 }),
      ...NODE_WARNINGS,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
