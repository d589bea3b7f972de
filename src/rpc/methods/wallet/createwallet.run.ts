import { follows, only } from '../../../policy/compat.js';
import { asString } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { signerOf } from '../../wallet/external-signer.js';
import { checkName, flag, given, loadOnStart, warned } from '../../wallet/lifecycle.js';
import { passphraseOf } from '../../wallet/passphrase.js';
import { asRpcError, managerOf } from '../../wallet/select.js';
import type { createwallet as spec } from './createwallet.spec.js';

export const createwallet: WalletRun<typeof spec> = async ({ args }, ctx, call) => {
  const manager = managerOf(ctx);
  const disablePrivateKeys = flag(args[1], false);
  const blank = flag(args[2], false);
  const passphrase = given(args[3]) ? passphraseOf(args, 3, call) : null;
  try {
    const avoidReuse = flag(args[4], false);
    const descriptors = flag(args[5], manager.options.descriptorWallets);
    if (!descriptors && only(ctx.compat, 30)) {
      const text = 'descriptors argument must be set to "true"; it is no longer possible to create a legacy wallet.';
      fail(RPC_CODE.WALLET_ERROR, text);
    }
    const load = loadOnStart(args[6]);
    const signer = flag(args[7], false) ? signerOf(ctx) : null;
    const name = asString(args[0]);
    if (name === '' && only(ctx.compat, 31)) fail(RPC_CODE.INVALID_PARAMETER, 'Wallet name cannot be empty');
    checkName(ctx, name);
    const { warnings } = await manager.createWallet({ name, disablePrivateKeys, blank, passphrase, avoidReuse, descriptors, signer });
    if (load !== undefined) manager.setLoadOnStart(name, load);
    if (descriptors && !follows(ctx.compat, 23)) warnings.push('Wallet is an experimental descriptor wallet');
    return { name, ...warned([...warnings, ...manager.warnings]) };
  } catch (error) {
    throw asRpcError(error);
  } finally {
    passphrase?.fill(0);
  }
};
