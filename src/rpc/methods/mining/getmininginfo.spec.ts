import { NODE_WARNINGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, hex, num, obj, str } from '../../declare/parts.js';

export const getmininginfo = declare({
  name: 'getmininginfo',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'Returns figures about mining on this chain.',
  args: [],
  results: [
    obj([
      num('blocks', 'Height of the tip'),
      num('currentblockweight?', 'Weight of the last assembled template. Absent if there was none'),
      num('currentblocktx?', 'Number of transactions of that template, without the coinbase'),
      hex('bits', 'Compact target of the tip', { since: 29 }),
      num('difficulty', 'Difficulty of the tip'),
      hex('target', 'Target of the tip', { since: 29 }),
      num('networkhashps', 'Estimated hashes per second of the network'),
      num('pooledtx', 'Number of transactions in the mempool'),
      amount('blockmintxfee', 'Lowest fee rate of templates, BTC/kvB', { since: 30 }),
      str('chain', 'Name of the chain'),
      obj('next', 'The block after the tip', { since: 29 }, [
        num('height', 'Height'),
        hex('bits', 'Compact target'),
        num('difficulty', 'Difficulty'),
        hex('target', 'Target'),
      ]),
      hex('signet_challenge?', 'The challenge (block script) of a signet', { since: 29 }),
      ...NODE_WARNINGS,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});
