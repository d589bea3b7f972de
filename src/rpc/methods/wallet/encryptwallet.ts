import { follows } from '../../../policy/compat.js';
import { encryptWallet } from '../../../wallet/index.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { passphrase, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { empty } from '../../wallet/encryption.js';
import { asRpcError, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'encryptwallet',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Encrypts the wallet with a passphrase. The wallet is then locked until walletpassphrase.',
  args: [passphrase('passphrase', 'The passphrase. It must not be empty, and should be long')],
  results: [str('A message about the result and the next step')],
  examples: [{ cli: '"my pass phrase"', rpc: '"my pass phrase"' }],
  waits: true,
});

const encryptedText = ({ compat }: WalletContext): string =>
  `wallet encrypted; The keypool has been flushed and a new HD seed was generated${
    follows(compat, 28)
      ? '. You need to make a new backup with the backupwallet RPC.'
      : ' (if you are using HD). You need to make a new backup.'
  }`;

export const encryptwallet: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  if (wallet.record.privateKeysDisabled) {
    fail(RPC_CODE.WALLET_ENCRYPTION_FAILED, 'Error: wallet does not contain private keys, nothing to encrypt.');
  }
  const ensurePlain = (): void => {
    if (wallet.vault.encrypted) {
      fail(RPC_CODE.WALLET_WRONG_ENC_STATE, 'Error: running with an encrypted wallet, but encryptwallet was called.');
    }
  };
  ensurePlain();
  const { passphrase } = params;
  try {
    if (passphrase.length === 0) empty(ctx);
    // encryptWallet() calls ensurePlain again, because another call may have encrypted the wallet meanwhile.
    await encryptWallet(wallet, passphrase, ctx.descriptors, ensurePlain);
  } catch (error) {
    throw asRpcError(error);
  } finally {
    passphrase.fill(0);
  }
  ctx.wallets.logOperation(wallet.name, 'encrypted');
  return encryptedText(ctx);
};
