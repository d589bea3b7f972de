import { WALLET_FLAG } from '../../../wallet/index.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { bool, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'setwalletflag',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Changes a flag of the wallet.',
  args: [str('flag', 'Name of the flag. Only avoid_reuse can be changed'), bool('value', 'The new state', { default: 'true' })],
  results: [obj([str('flag_name', 'Name of the flag'), bool('flag_state', 'The new state'), str('warnings?', 'Warnings')])],
  examples: [{ cli: 'avoid_reuse', rpc: '"avoid_reuse"' }],
});

/** Flags by the names that setwalletflag accepts. */
const FLAG_NAMES: Readonly<Record<string, bigint>> = {
  avoid_reuse: WALLET_FLAG.AVOID_REUSE,
  blank: WALLET_FLAG.BLANK,
  key_origin_metadata: WALLET_FLAG.KEY_ORIGIN_METADATA,
  disable_private_keys: WALLET_FLAG.DISABLE_PRIVATE_KEYS,
  descriptor_wallet: WALLET_FLAG.DESCRIPTORS,
  external_signer: WALLET_FLAG.EXTERNAL_SIGNER,
};

const REUSE_CAVEAT =
  'You need to rescan the blockchain in order to correctly mark used destinations in the past. Until this is done, some destinations may be considered unused, even if the opposite is the case.';

export const setwalletflag: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const { flag: name, value } = params;
  const bit = Object.hasOwn(FLAG_NAMES, name) ? FLAG_NAMES[name] : fail(RPC_CODE.INVALID_PARAMETER, `Unknown wallet flag: ${name}`);
  if (bit !== WALLET_FLAG.AVOID_REUSE) fail(RPC_CODE.INVALID_PARAMETER, `Wallet flag is immutable: ${name}`);
  if (wallet.record.has(bit) === value) fail(RPC_CODE.INVALID_PARAMETER, `Wallet flag is already set to ${value}: ${name}`);
  await wallet.change((batch) => {
    if (value) wallet.record.flags |= bit;
    else wallet.record.flags &= ~bit;
    wallet.record.write(batch);
  });
  return { flag_name: name, flag_state: value, ...(value ? { warnings: REUSE_CAVEAT } : {}) };
};
