import { asBool, checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { DescriptorImportReader } from '../../wallet/importdescriptors.js';
import { importRequests } from '../../wallet/imports.js';
import { walletOf } from '../../wallet/select.js';
import type { importdescriptors as spec } from './importdescriptors.spec.js';

export const importdescriptors: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  if (wallet.descriptors === null) fail(RPC_CODE.WALLET_ERROR, 'importdescriptors is not available for non-descriptor wallets');
  checkTypes(params.args, ['array', 'object']);
  const { requests, options } = params;
  const rescan = options?.has('rescan') ? asBool(options.get('rescan')) : true;
  return importRequests(ctx, wallet, requests, call, new DescriptorImportReader(ctx, wallet, call), rescan);
};
