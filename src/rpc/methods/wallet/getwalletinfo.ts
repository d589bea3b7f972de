// Returns statistics of a wallet, with members in Core 0.21's order.

import { type Balances, OWNERSHIP, WALLET_FLAG, type Wallet } from '../../../wallet/index.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { LAST_PROCESSED } from '../../declare/members.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str, time } from '../../declare/parts.js';
import { hashHex } from '../../render/hex.js';
import { usedFilter } from '../../wallet/coins.js';
import { lastProcessed, settledWallet } from '../../wallet/select.js';
import { Amount, Double, type JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'getwalletinfo',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the state of the wallet.',
  args: [],
  results: [
    obj([
      str('walletname', 'Its name'),
      num('walletversion', 'Its version'),
      str('format', 'bdb or sqlite: the format in which Core would store the wallet'),
      amount('balance', 'Same as getbalances().mine.trusted', { until: 30 }),
      amount('unconfirmed_balance', 'Same as getbalances().mine.untrusted_pending', { until: 30 }),
      amount('immature_balance', 'Same as getbalances().mine.immature', { until: 30 }),
      num('txcount', 'Transactions'),
      time('keypoololdest?', 'Creation time of the oldest key in the key pool', { until: 30 }),
      num('keypoolsize', 'Number of keys in the key pool for receiving'),
      hex('hdseedid?', 'Hash of the seed key', { until: 30 }),
      num('keypoolsize_hd_internal?', 'Number of keys in the key pool for change'),
      time('unlocked_until?', 'Time at which the wallet locks itself, 0 if it is locked'),
      amount('paytxfee', 'Fee rate set by settxfee, BTC/kvB', { until: 31 }),
      bool('private_keys_enabled', 'Whether the wallet can have private keys'),
      bool('avoid_reuse', 'Whether the wallet tracks addresses that were spent from (avoid_reuse)'),
      obj('scanning', 'The current scan, or false', { orFalse: true }, [
        num('duration', 'Seconds since the scan began'),
        num('progress', 'Progress, 0 to 1'),
      ]),
      bool('descriptors', 'Whether the wallet is a descriptor wallet'),
      bool('external_signer', 'Whether the wallet uses an external signer', { since: 23 }),
      bool('blank', 'Whether the wallet is blank: it was created without keys and has none yet', { since: 26 }),
      time('birthtime?', 'Time before which the wallet has no transactions', { since: 27 }),
      arr('flags', 'Flags of the wallet', { since: 30 }, [str('A flag')]),
      LAST_PROCESSED,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

/** Core's flag last_hardened_xpub_cached, which holds for all descriptor wallets of adit. */
const CACHED = 1n << 2n;

/** Names of flags, by bit. */
const FLAGS: readonly (readonly [bit: bigint, name: string])[] = [
  [WALLET_FLAG.AVOID_REUSE, 'avoid_reuse'],
  [WALLET_FLAG.KEY_ORIGIN_METADATA, 'key_origin_metadata'],
  [CACHED, 'last_hardened_xpub_cached'],
  [WALLET_FLAG.DISABLE_PRIVATE_KEYS, 'disable_private_keys'],
  [WALLET_FLAG.BLANK, 'blank'],
  [WALLET_FLAG.DESCRIPTORS, 'descriptor_wallet'],
  [WALLET_FLAG.EXTERNAL_SIGNER, 'external_signer'],
];

/** Core's reply for a wallet without any key manager: the largest int64. */
const NEVER = 9_223_372_036_854_775_807n;

/** Returns the time of the oldest unused key; null if the member is omitted. */
function oldestKey(wallet: Wallet): number | bigint | null {
  const { legacy, descriptors, record } = wallet;
  if (descriptors) return descriptors.count === 0 ? NEVER : null;
  if (!legacy || !wallet.session.hasKeyManager) return NEVER;
  const now = wallet.parts.now();
  const { pool } = legacy;
  let oldest = pool.oldest('external', now);
  if (legacy.hdEnabled && record.canSplit) {
    oldest = Math.max(oldest, pool.oldest('internal', now));
    if (pool.preSplitSize > 0) oldest = Math.max(oldest, pool.oldest('preSplit', now));
  }
  return oldest > 0 ? oldest : null;
}

/** Returns the numbers of unused keys for receiving and for change. */
function poolSizes(wallet: Wallet): { external: number; internal: number } {
  const { legacy, descriptors } = wallet;
  if (legacy) return { external: legacy.pool.externalSize + legacy.pool.preSplitSize, internal: legacy.pool.internalSize };
  const left = (internal: boolean): number =>
    descriptors!.actives(internal).reduce((sum, { rangeEnd, nextIndex }) => sum + rangeEnd - nextIndex, 0);
  return { external: left(false), internal: left(true) };
}

export const getwalletinfo: WalletRun<typeof spec> = async (_, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const skip = usedFilter(wallet, true);
  return figuresOf(ctx, wallet, wallet.ledger.sheet.balances({ ownership: OWNERSHIP.SPENDABLE, skip }));
};

function figuresOf(ctx: WalletContext, wallet: Wallet, mine: Balances): JsonResult {
  const { record, ledger, vault } = wallet;
  const pools = poolSizes(wallet);
  const seed = wallet.legacy && record.hd ? hashHex(record.hd.seedId) : undefined;
  const scanning: JsonResult = wallet.scans.running
    ? {
        duration: Math.floor((ctx.clock.monotonicMs() - wallet.scans.running.startedMs) / 1000),
        progress: new Double(wallet.scans.running.progress),
      }
    : false;
  return {
    walletname: wallet.name,
    walletversion: record.version,
    format: wallet.descriptors ? 'sqlite' : 'bdb',
    balance: new Amount(mine.trusted),
    unconfirmed_balance: new Amount(mine.pending),
    immature_balance: new Amount(mine.immature),
    txcount: ledger.txs.size,
    keypoololdest: oldestKey(wallet) ?? undefined,
    keypoolsize: pools.external,
    hdseedid: seed,
    keypoolsize_hd_internal: record.canSplit ? pools.internal : undefined,
    unlocked_until: vault.encrypted ? wallet.encryption.unlockedUntil : undefined,
    paytxfee: new Amount(wallet.session.payFeeRate),
    private_keys_enabled: !wallet.record.privateKeysDisabled,
    avoid_reuse: record.has(1n),
    scanning,
    descriptors: wallet.descriptors !== null,
    external_signer: record.has(WALLET_FLAG.EXTERNAL_SIGNER),
    blank: record.has(WALLET_FLAG.BLANK),
    birthtime: Number.isFinite(record.birthSeconds) ? record.birthSeconds : undefined,
    flags: FLAGS.filter(([bit]) => record.has(bit) || (bit === CACHED && wallet.descriptors !== null)).map(([, name]) => name),
    lastprocessedblock: lastProcessed(wallet),
  };
}
