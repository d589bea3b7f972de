import { amount, bool, num, obj } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getmempoolinfo: MethodSpec = {
  name: 'getmempoolinfo',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'State of the pool.',
  args: [],
  results: [
    obj([
      bool('loaded', 'Whether the saved pool is loaded'),
      num('size', 'Transactions'),
      num('bytes', 'Sum of virtual sizes (BIP141)'),
      num('usage', 'Memory in use'),
      amount('total_fee', 'Sum of fees, without deltas', { since: 22 }),
      num('maxmempool', 'Most memory to be used'),
      amount('mempoolminfee', 'Lowest feerate accepted, BTC/kB'),
      amount('minrelaytxfee', 'Lowest feerate relayed'),
      amount('incrementalrelayfee', 'Step of feerate for replacement', { since: 24 }),
      num('unbroadcastcount', 'Transactions that no peer asked for yet'),
      bool('permitbaremultisig', 'Whether outputs may be bare multisigs', { since: 30 }),
      num('maxdatacarriersize', 'Most bytes of OP_RETURN outputs', { since: 30 }),
      num('limitclustercount?', 'Most transactions of a cluster, where there is a limit', { since: 31 }),
      num('limitclustersize?', 'Most virtual bytes of a cluster, where there is a limit', { since: 31 }),
      bool('optimal', 'Whether every cluster is known to be in the best order there is', { since: 31 }),
      bool('fullrbf?', 'True: every transaction may be replaced; -deprecatedrpc=fullrbf', { since: 24 }),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
