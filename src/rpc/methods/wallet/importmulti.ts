import { follows } from '../../../policy/compat.js';
import { asBool, checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, num, obj, range, str } from '../../declare/parts.js';
import { RequestAsDescriptor } from '../../wallet/import-as-descriptor.js';
import { ScriptImportReader } from '../../wallet/importmulti.js';
import { importRequests } from '../../wallet/imports.js';
import { legacyOf, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'importmulti',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description:
    'Imports addresses, scripts, keys and descriptors, then scans the blocks from the earliest timestamp on. If one\nrequest fails, the others still take effect.',
  args: [
    arr('requests', 'The requests', [
      obj([
        str('desc?', 'A descriptor with checksum, instead of scriptPubKey', { holds: 'descriptor' }),
        str('scriptPubKey?', 'An output script in hex, or {"address": ...}', { typeWords: 'string / json' }),
        num('timestamp', 'Time of the first possible payment: seconds since 1970, or "now"', { typeWords: 'numeric / string' }),
        str('redeemscript?', 'Redeem script, only for P2SH and P2SH-P2WSH'),
        str('witnessscript?', 'Witness script, only for P2WSH and P2SH-P2WSH'),
        arr('pubkeys', 'Public keys whose hashes are in the script', { default: '[]' }, [
          str('pubKey?', 'A public key in hex', { holds: 'descriptor' }),
        ]),
        arr('keys', 'Private keys', { default: '[]' }, [str('key?', 'A private key in WIF', { holds: 'key' })]),
        range('range?', 'For ranged descriptors: last index, or first and last'),
        bool('internal', 'Whether the script is change, and not shown as received', { default: 'false' }),
        bool('watchonly', 'Whether the wallet watches the script without private keys', { default: 'false' }),
        str('label', 'Label of the address. Not allowed together with internal', { default: '""' }),
        bool('keypool', 'Whether to add the public keys to the key pool. Only for wallets without private keys', { default: 'false' }),
      ]),
    ]),
    obj('options?', '', [bool('rescan', 'Whether to scan the blocks after the import', { default: 'true' })]),
  ],
  results: [
    arr('One result for each request, in the same order', [
      obj([
        bool('success', 'Whether the import succeeded'),
        arr('warnings?', 'Warnings', [str('A warning')]),
        obj('error?', 'The error', [num('code', 'Error code'), str('message', 'Error message')]),
      ]),
    ]),
  ],
  examples: [{ cli: '\'[{ "scriptPubKey": { "address": "<my address>" }, "timestamp":1455191478 }]\'' }],
  waits: true,
});

export const importmulti: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  checkTypes(params.args, ['array', 'object']);
  // Some clients know no other import method, so descriptor wallets accept importmulti too.
  if (wallet.legacy === null && !follows(ctx.compat, 30)) legacyOf(wallet);
  const { requests, options } = params;
  const rescan = options?.has('rescan') ? asBool(options.get('rescan')) : true;
  const reader = wallet.legacy ? new ScriptImportReader(ctx, wallet, call) : new RequestAsDescriptor(ctx, wallet, call);
  return importRequests(ctx, wallet, requests, call, reader, rescan);
};
