import { follows, only } from '../../../policy/compat.js';
import type { WalletRun } from '../../context/wallet.js';
import { WARNINGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, obj, passphrase, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { signerOf } from '../../wallet/external-signer.js';
import { checkName, warned } from '../../wallet/lifecycle.js';
import { asRpcError, managerOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'createwallet',
  category: 'wallet',
  runs: 'wallet',
  description: 'Creates a new wallet and loads it.',
  args: [
    str('wallet_name', 'Name of the wallet. A path creates the wallet at that place'),
    bool('disable_private_keys', 'Make a watch-only wallet', { default: 'false' }),
    bool('blank', 'Make a blank wallet, without keys and without a seed', { default: 'false' }),
    passphrase('passphrase?', 'Encrypt the wallet with this passphrase'),
    bool('avoid_reuse', 'Track addresses that were spent from, and keep their coins apart', { default: 'false' }),
    bool('descriptors', 'Make a descriptor wallet', { seesAbsence: true, default: 'false' }),
    bool(
      'load_on_startup?',
      'Whether to load the wallet at every start: true adds it to the list in settings.json, false removes it, null changes nothing',
    ),
    bool('external_signer', 'Use an external signer, such as a hardware wallet (-signer). Requires disable_private_keys and descriptors', {
      since: 22,
      default: 'false',
    }),
  ],
  results: [obj([str('name', 'Name of the wallet'), ...WARNINGS])],
  examples: [{ cli: '"testwallet"', rpc: '"testwallet"' }],
  waits: true,
});

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
