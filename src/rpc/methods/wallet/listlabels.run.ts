import { follows } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { walletOf } from '../../wallet/select.js';
import type { listlabels as spec } from './listlabels.spec.js';

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
