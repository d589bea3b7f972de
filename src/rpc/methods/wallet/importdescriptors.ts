import { ADDED } from '../../../policy/compat.js';
import { asBool, checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, num, obj, range, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { DescriptorImportReader } from '../../wallet/importdescriptors.js';
import { importRequests } from '../../wallet/imports.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'importdescriptors',
  category: 'wallet',
  runs: 'wallet',
  holds: 'parts',
  description: 'Imports descriptors into a descriptor wallet, then scans the blocks from the earliest timestamp on.',
  args: [
    arr('requests', 'The requests', [
      obj([
        str('desc', 'The descriptor with checksum', { holds: 'descriptor' }),
        bool('active', 'Whether to make the descriptor active: new addresses then come from it', { default: 'false' }),
        range('range?', 'Last index, or first and last'),
        num('next_index?', 'The next index for a new address'),
        num('timestamp', 'Time of the first possible payment: seconds since 1970, or "now"'),
        bool('internal', 'Whether the descriptor is for change', { default: 'false' }),
        str('label', 'Label of the address', { default: '""' }),
      ]),
    ]),
    obj('options?', 'Options of adit', { since: ADDED }, [
      bool('rescan', 'Whether to scan the blocks after the import', { default: 'true' }),
    ]),
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
  examples: [{ cli: '\'[{ "desc": "<my descriptor>", "timestamp":1455191478 }]\'' }],
  waits: true,
});

export const importdescriptors: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  if (wallet.descriptors === null) fail(RPC_CODE.WALLET_ERROR, 'importdescriptors is not available for non-descriptor wallets');
  checkTypes(params.args, ['array', 'object']);
  const { requests, options } = params;
  const rescan = options?.has('rescan') ? asBool(options.get('rescan')) : true;
  return importRequests(ctx, wallet, requests, call, new DescriptorImportReader(ctx, wallet, call), rescan);
};
