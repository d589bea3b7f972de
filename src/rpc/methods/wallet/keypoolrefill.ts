import { fillPool } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { none, num } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { ensureUnlocked, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'keypoolrefill',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Fills the key pool.',
  args: [num('newsize', 'New size of the key pool', { default: 'set by -keypool' })],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
});

export const keypoolrefill: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  if (wallet.legacy && wallet.record.privateKeysDisabled) {
    fail(RPC_CODE.WALLET_ERROR, 'Error: Private keys are disabled for this wallet');
  }
  let size = 0;
  if (params.newsize !== undefined) {
    size = params.newsize;
    if (size < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid parameter, expected valid size.');
  }
  ensureUnlocked(wallet);
  await fillPool(wallet, size, () => ensureUnlocked(wallet));
  await wallet.reassessor.whenIdle();
  const { legacy, descriptors } = wallet;
  const waiting = legacy
    ? legacy.pool.externalSize + legacy.pool.internalSize
    : descriptors!.actives().reduce((sum, { rangeEnd, nextIndex }) => sum + rangeEnd - nextIndex, 0);
  if (waiting < size) fail(RPC_CODE.WALLET_ERROR, 'Error refreshing keypool.');
  return null;
};
