import { fillPool, renewSeed } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { none, num, passphrase } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { empty, ensureEncrypted, incorrect } from '../../wallet/encryption.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'walletpassphrase',
  category: 'wallet',
  runs: 'wallet',
  holds: 'keys',
  description: 'Unlocks the wallet for some time.',
  args: [
    passphrase('passphrase', 'The passphrase'),
    num('timeout', 'Seconds until the wallet locks itself, at most 100000000', { as: 'int64' }),
  ],
  results: [none()],
  examples: [{ cli: '"my pass phrase" 60', rpc: '"my pass phrase", 60' }],
});

const MAX_SECONDS = 100_000_000n;

export const walletpassphrase: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  ensureEncrypted(wallet, 'walletpassphrase');
  const { passphrase } = params;
  try {
    const { timeout: asked } = params;
    if (asked < 0n) fail(RPC_CODE.INVALID_PARAMETER, 'Timeout cannot be negative.');
    const seconds = Number(asked > MAX_SECONDS ? MAX_SECONDS : asked);
    if (passphrase.length === 0) empty(ctx);
    const key = await wallet.encryption.openMasterKey(passphrase);
    wallet.encryption.unlock(key ?? incorrect(), seconds);
    const { session } = wallet.vault;
    await renewSeed(wallet, ctx.descriptors);
    await fillPool(wallet, 0);
    await wallet.reassessor.whenIdle();
    // Lock the wallet only if no other call has unlocked it meanwhile, perhaps for longer.
    if (seconds === 0 && wallet.vault.session === session) wallet.encryption.lock();
  } finally {
    passphrase.fill(0);
  }
  return null;
};
