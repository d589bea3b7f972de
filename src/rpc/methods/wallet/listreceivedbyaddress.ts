import { decodeAddress } from '../../../address/address.js';
import { only as onlySince } from '../../../policy/compat.js';
import { asString } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { IMMATURE_ARG, receivedArgs } from '../../declare/history-parts.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { hashHex } from '../../render/hex.js';
import { addressText } from '../../wallet/addresses.js';
import { receivedByAddress, receivedChoice, shownDepth } from '../../wallet/received.js';
import { settledWallet } from '../../wallet/select.js';
import { Amount, type JsonResult } from '../../wire/values.js';

export const spec = declare({
  name: 'listreceivedbyaddress',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the sum that each labelled address has received. Since release 23 this includes mature coinbases.',
  args: [...receivedArgs('addresses'), str('address_filter?', 'Return only this address', { as: 'json' }), IMMATURE_ARG],
  results: [
    arr([
      obj([
        bool('involvesWatchonly?', 'Whether the address is watch-only'),
        str('address', 'Address'),
        amount('amount', 'BTC'),
        num('confirmations', 'Number of confirmations of the latest transaction'),
        str('label', 'The label'),
        arr('txids', 'Ids of the transactions', [hex('txid', 'Transaction')]),
      ]),
    ]),
  ],
  examples: [
    { cli: '', rpc: '' },
    { cli: '6 true', rpc: '6, true' },
    { cli: '6 true true "bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '6, true, true, "bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' },
  ],
});

export const listreceivedbyaddress: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const choice = receivedChoice(ctx, wallet, params);
  const { address_filter } = params;
  let only: Uint8Array | null = null;
  // Since release 22, an empty string is no filter.
  const wantsOne = onlySince(ctx.compat, 22) ? (address_filter ?? '') !== '' : params.args.length > 3;
  if (wantsOne) {
    const decoded = decodeAddress(asString(address_filter), ctx.params, ctx.crypto);
    if ('error' in decoded) return fail(RPC_CODE.WALLET_ERROR, 'address_filter parameter was invalid');
    only = decoded.script;
  }
  const { txs } = wallet.ledger;
  const out: JsonResult[] = [];
  for (const entry of receivedByAddress(ctx, wallet, choice, only)) {
    out.push({
      involvesWatchonly: entry.watched || undefined,
      address: addressText(ctx, entry.script),
      amount: new Amount(entry.amount),
      confirmations: shownDepth(entry.depth),
      label: entry.label,
      txids: entry.rows.sort((a, b) => txs.compareTxids(a, b)).map((row) => hashHex(txs.txid(row))),
    });
  }
  return out;
};
