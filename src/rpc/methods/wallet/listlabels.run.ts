import { sortInSlices } from '../../../lib/sort-in-slices.js';
import { follows } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { mapInSlices, Slicer } from '../../node/slices.js';
import { walletOf } from '../../wallet/select.js';
import type { listlabels as spec } from './listlabels.spec.js';

export const listlabels: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const slicer = new Slicer(call.yieldToUrgent);
  const purpose = params.purpose ?? '';
  if (follows(ctx.compat, 26) && !['', 'send', 'receive', 'refund'].includes(purpose)) {
    fail(RPC_CODE.INVALID_PARAMETER, "Invalid 'purpose' argument, must be a known purpose string, typically 'send', or 'receive'.");
  }
  const labels = wallet.book.labels(purpose);
  const keyed = await mapInSlices(labels, (label) => ({ label, bytes: Buffer.from(label) }), slicer);
  return (await sortInSlices(keyed, (a, b) => Buffer.compare(a.bytes, b.bytes), slicer)).map(({ label }) => label);
};
