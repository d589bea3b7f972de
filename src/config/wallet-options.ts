// Reads the options of wallets: their folder, and Core's limits on fees.

import fs from 'node:fs';
import path from 'node:path';
import { type Compat, follows, only } from '../policy/compat.js';
import { NEW_SPENDING, OLD_SPENDING, SPEND_ROWS, type SpendOptions, WALLET_ROWS, type WalletOptions } from '../wallet/options-face.js';
import { type Args, ConfigError } from './args.js';
import { requireFolder } from './locate.js';
import { readRows } from './rows.js';

/** Other options that concern wallets. */
interface WalletContext {
  readonly netDir: string;
  readonly compat: Compat;
  readonly deprecatedRpc: ReadonlySet<string>;
  readonly blocksOnly: boolean;
  /** -minrelaytxfee in satoshis per 1,000 virtual bytes. */
  readonly minRelayFeeRate: number;
}

function addressType(args: Args, kind: 'address' | 'change', given: string, compat: Compat): WalletOptions['addressType'] {
  const text = args.isNegated(`${kind}type`) ? '0' : given;
  if (text === 'legacy' || text === 'p2sh-segwit' || text === 'bech32') return text;
  if (text === 'bech32m' && follows(compat, 22)) return text;
  throw new ConfigError(`Unknown ${kind} type '${text}'`);
}

/** Reads the options of payments, with Core's limits. */
function spendOptions(args: Args, { compat, deprecatedRpc, minRelayFeeRate }: WalletContext): SpendOptions {
  const given = readRows(args, SPEND_ROWS, compat);
  const invalid = (name: string, why: string): never => {
    throw new ConfigError(`Invalid amount for -${name}=<amount>: '${args.text(name) ?? '0'}'${why}`);
  };
  const least = `${(minRelayFeeRate / 1e8).toFixed(8)} BTC/kvB`;
  if (given.minFeeRate === 0 && !follows(compat, 22)) invalid('mintxfee', '');
  if (args.isSet('paytxfee') && given.payFeeRate < minRelayFeeRate) invalid('paytxfee', ` (must be at least ${least})`);
  if (args.isSet('maxtxfee') && given.maxFeeSats < minRelayFeeRate)
    invalid('maxtxfee', ` (must be at least the minrelay fee of ${least} to prevent stuck transactions)`);
  return {
    ...given,
    warnsOfReplaceable: args.isSet('walletrbf') && follows(compat, 31),
    rules: follows(compat, 31) ? NEW_SPENDING : OLD_SPENDING,
    bumpGivesPsbt: deprecatedRpc.has('bumpfee'),
  };
}

/** Reads the options of wallets. @throws ConfigError */
export function walletOptions(args: Args, context: WalletContext): WalletOptions {
  const { netDir, compat, deprecatedRpc, blocksOnly } = context;
  const given = readRows(args, WALLET_ROWS, compat);
  const dir = args.isNegated('walletdir') ? '' : given.dir;
  if (dir !== undefined) {
    if (!fs.existsSync(dir)) throw new ConfigError(`Specified -walletdir "${dir}" does not exist`);
    if (!path.isAbsolute(dir)) throw new ConfigError(`Specified -walletdir "${dir}" is a relative path`);
    requireFolder(dir, 'wallet');
  }
  const receiving = addressType(args, 'address', given.addressType, compat);
  const change = given.changeType || args.isNegated('changetype') ? addressType(args, 'change', given.changeType ?? '', compat) : undefined;
  return {
    ...given,
    enabled: !given.disabled,
    removesRecords: !only(compat, 32) || deprecatedRpc.has('removeprunedfunds'),
    dir: dir ?? path.join(netDir, 'wallets'),
    unnamed: !args.isSet('wallet'),
    descriptorWallets: compat.descriptorWallets || receiving === 'bech32m' || change === 'bech32m',
    taprootSeeds: follows(compat, 23),
    laterRecords: follows(compat, 25),
    addressType: receiving,
    changeType: change,
    walletBroadcast: given.walletBroadcast ?? !blocksOnly,
    spend: spendOptions(args, context),
  };
}
