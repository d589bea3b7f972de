import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { bool } from '../../declare/parts.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'abortrescan',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Stops the current scan.',
  args: [],
  results: [bool('Whether there was a scan to stop')],
  examples: [{ cli: '', rpc: '' }],
});

export const abortrescan: WalletRun<typeof spec> = (_, ctx, call) => walletOf(ctx, call).scans.abort();
