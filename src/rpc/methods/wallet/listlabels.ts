import { follows } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'listlabels',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the labels, or only those of the given purpose.',
  args: [str('purpose?', 'send or receive')],
  results: [arr([str('A label')])],
  examples: [
    { cli: '', rpc: '' },
    { cli: 'receive', rpc: '"receive"' },
  ],
});

export const listlabels: WalletRun<typeof spec> = (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const purpose = params.purpose ?? '';
  if (follows(ctx.compat, 26) && !['', 'send', 'receive', 'refund'].includes(purpose)) {
    fail(RPC_CODE.INVALID_PARAMETER, "Invalid 'purpose' argument, must be a known purpose string, typically 'send', or 'receive'.");
  }
  const labels = wallet.book.labels(purpose);
  const keyed = Array.from(labels, (label) => ({ label, bytes: Buffer.from(label) }));
  return keyed.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ label }) => label);
};
