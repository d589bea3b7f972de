// Declares getmempoolinfo.
import type { MethodSpec } from '../../declare/types.js';

export const getmempoolinfo: MethodSpec = {
  name: 'getmempoolinfo',
  category: 'blockchain',
  runs: 'node',
  repeatable: true,
  description: 'State of the pool.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'bool', key: 'loaded', help: 'Whether the saved pool is loaded' },
        { type: 'num', key: 'size', help: 'Transactions' },
        { type: 'num', key: 'bytes', help: 'Sum of virtual sizes (BIP141)' },
        { type: 'num', key: 'usage', help: 'Memory in use' },
        { type: 'amount', key: 'total_fee', since: 22, help: 'Sum of fees, without deltas' },
        { type: 'num', key: 'maxmempool', help: 'Most memory to be used' },
        { type: 'amount', key: 'mempoolminfee', help: 'Lowest feerate accepted, BTC/kB' },
        { type: 'amount', key: 'minrelaytxfee', help: 'Lowest feerate relayed' },
        { type: 'amount', key: 'incrementalrelayfee', since: 24, help: 'Step of feerate for replacement' },
        { type: 'num', key: 'unbroadcastcount', help: 'Transactions that no peer asked for yet' },
        { type: 'bool', key: 'permitbaremultisig', since: 30, help: 'Whether outputs may be bare multisigs' },
        { type: 'num', key: 'maxdatacarriersize', since: 30, help: 'Most bytes of OP_RETURN outputs' },
        {
          type: 'num',
          key: 'limitclustercount',
          since: 31,
          optional: true,
          help: 'Most transactions of a cluster, where there is a limit',
        },
        {
          type: 'num',
          key: 'limitclustersize',
          since: 31,
          optional: true,
          help: 'Most virtual bytes of a cluster, where there is a limit',
        },
        { type: 'bool', key: 'optimal', since: 31, help: 'Whether every cluster is known to be in the best order there is' },
        {
          type: 'bool',
          key: 'fullrbf',
          since: 24,
          optional: true,
          help: 'True: every transaction may be replaced; -deprecatedrpc=fullrbf',
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
