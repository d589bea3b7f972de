import { amount, bool } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const settxfee: MethodSpec = {
  name: 'settxfee',
  category: 'wallet',
  until: 31,
  runs: 'wallet',
  holds: 'wallet',
  description: 'Sets the fee rate of the payments of this wallet, until it is unloaded, over -paytxfee. 0 goes back to estimates.',
  args: [amount('amount', 'The fee rate in BTC/kvB')],
  results: [bool('true')],
  examples: [{ cli: '0.00001', rpc: '0.00001' }],
};
