import { WARNINGS } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { bool, obj, passphrase, str } from '../../declare/parts.js';

export const createwallet = declare({
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
