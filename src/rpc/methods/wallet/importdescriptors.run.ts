import { parseDescriptor } from '../../../address/descriptor/parse.js';
import { follows } from '../../../policy/compat.js';
import type { DescriptorKeys } from '../../../wallet/keys/descriptor-keys.js';
import type { Wallet } from '../../../wallet/wallet.js';
import { asBool, asString, checkTypes } from '../../args.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE, TypeFault } from '../../errors.js';
import { elementError } from '../../wallet/import-outcome.js';
import { importDescriptors, type ReadDescriptor } from '../../wallet/importdescriptors.js';
import { labelOf, walletOf } from '../../wallet/select.js';
import type { JsonObject } from '../../wire/values.js';
import type { importdescriptors as spec } from './importdescriptors.spec.js';

function readDescriptor(ctx: WalletContext, request: JsonObject, call: CallInfo): ReadDescriptor {
  try {
    if (!request.has('desc')) fail(RPC_CODE.INVALID_PARAMETER, 'Descriptor not found.');
    const text = asString(request.get('desc'));
    for (const name of ['active', 'internal']) if (request.has(name)) asBool(request.get(name));
    const label = request.has('label') ? asString(request.get('label')) : '';
    if (follows(ctx.compat, 26)) labelOf(label);
    const parsed = parseDescriptor(text, ctx.descriptors, { requireChecksum: true, keys: call.taken?.keys });
    if ('error' in parsed) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, parsed.error);
    return { request, parsed, precomputed: [] };
  } catch (error) {
    // Since release 24 the whole call fails if a value has the wrong type.
    if (follows(ctx.compat, 24) && error instanceof TypeFault) throw error;
    return { success: false, error: elementError(error), warnings: [] };
  }
}

function descriptorsOf(wallet: Wallet): DescriptorKeys {
  return wallet.descriptors ?? fail(RPC_CODE.WALLET_ERROR, 'importdescriptors is not available for non-descriptor wallets');
}

export const importdescriptors: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  descriptorsOf(wallet);
  checkTypes(params.args, ['array', 'object']);
  const { requests, options } = params;
  const rescan = options?.has('rescan') ? asBool(options.get('rescan')) : true;
  return importDescriptors(ctx, wallet, requests, call, { rescan, read: (request) => readDescriptor(ctx, request, call) });
};
