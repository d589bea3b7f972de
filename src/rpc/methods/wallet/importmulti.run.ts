import { follows } from '../../../policy/compat.js';
import { asBool, checkTypes } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { RequestAsDescriptor } from '../../wallet/import-as-descriptor.js';
import { ScriptImportReader } from '../../wallet/importmulti.js';
import { importRequests } from '../../wallet/imports.js';
import { legacyOf, walletOf } from '../../wallet/select.js';
import type { importmulti as spec } from './importmulti.spec.js';

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
