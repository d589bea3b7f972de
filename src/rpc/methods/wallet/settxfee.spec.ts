import { declare } from '../../declare/parameters.js';
import { amount, bool } from '../../declare/parts.js';

export const settxfee = declare({
  name: 'settxfee',
  category: 'wallet',
  until: 31,
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Sets the fee rate for payments of this wallet until it is unloaded. It overrides -paytxfee. 0 means that the\nwallet estimates the rate again.',
  args: [amount('amount', 'The fee rate in BTC/kvB')],
  results: [bool('true')],
  examples: [{ cli: '0.00001', rpc: '0.00001' }],
});
