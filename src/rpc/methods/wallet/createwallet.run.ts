import { follows, only } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { signerOf } from '../../wallet/external-signer.js';
import { checkName, warned } from '../../wallet/lifecycle.js';
import { asRpcError, managerOf } from '../../wallet/select.js';
import type { createwallet as spec } from './createwallet.spec.js';

export const createwallet: WalletRun<typeof spec> = async (params, ctx, _call) => {
  const manager = managerOf(ctx);
  const { disable_private_keys: disablePrivateKeys, blank, passphrase } = params;
  try {
    const { avoid_reuse: avoidReuse } = params;
    const descriptors = params.descriptors ?? manager.options.descriptorWallets;
    if (!descriptors && only(ctx.compat, 30)) {
      const text = 'descriptors argument must be set to "true"; it is no longer possible to create a legacy wallet.';
      fail(RPC_CODE.WALLET_ERROR, text);
    }
    const { load_on_startup: load } = params;
    const signer = params.external_signer ? signerOf(ctx) : null;
    const { wallet_name: name } = params;
    if (name === '' && only(ctx.compat, 31)) fail(RPC_CODE.INVALID_PARAMETER, 'Wallet name cannot be empty');
    checkName(ctx, name);
    const { warnings } = await manager.createWallet({
      name,
      disablePrivateKeys,
      blank,
      passphrase: passphrase ?? null,
      avoidReuse,
      descriptors,
      signer,
    });
    if (load !== undefined) manager.setLoadOnStart(name, load);
    if (descriptors && !follows(ctx.compat, 23)) warnings.push('Wallet is an experimental descriptor wallet');
    return { name, ...warned([...warnings, ...manager.warnings]) };
  } catch (error) {
    throw asRpcError(error);
  } finally {
    passphrase?.fill(0);
  }
};
