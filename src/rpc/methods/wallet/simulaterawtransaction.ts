// Computes by how much transactions would change a wallet's balance. Core 31: wallet/rpc/wallet.cpp.

import { hashKey } from '../../../consensus/bytes/hex.js';
import { OWNERSHIP, type Ownership, outpointOf } from '../../../wallet/index.js';
import { asArray, asBool, asString } from '../../args.js';
import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, hex, obj } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { decodeTx } from '../../node/raw-tx.js';
import { outpointsOf } from '../../node/signing-args.js';
import { settledWallet } from '../../wallet/select.js';
import { Amount, JsonObject } from '../../wire/values.js';

export const spec = declare({
  name: 'simulaterawtransaction',
  since: 24,
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description: 'Returns how the balance of the wallet would change if the given transactions were signed and sent in this\norder.',
  args: [
    arr('rawtxs?', 'The transactions', { as: 'json' }, [hex('rawtx?', 'A transaction')]),
    obj('options?', '', { as: 'json', namedMembers: true }, [
      bool('include_watchonly', 'Whether to include watch-only outputs', { default: 'false' }),
    ]),
  ],
  results: [obj([amount('balance_change', 'The change of the balance. Negative means that the wallet would have less')])],
  examples: [{ cli: '\'["myhex"]\'', rpc: '["myhex"]' }],
});

const invalid = (text: string): never => fail(RPC_CODE.INVALID_PARAMETER, text);

export const simulaterawtransaction: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = await settledWallet(ctx, call);
  const texts = asArray(params.rawtxs);
  const wanted = params.options instanceof JsonObject ? params.options.get('include_watchonly') : undefined;
  const watchOnly = wanted === undefined ? false : asBool(wanted);
  const counts = (ownership: Ownership): boolean =>
    ownership === OWNERSHIP.SPENDABLE || (ownership === OWNERSHIP.WATCH && (watchOnly || wallet.record.privateKeysDisabled));
  const { coins } = wallet.ledger;
  let change = 0;
  /** Values of the outputs that earlier transactions create, by outpoint. */
  const made = new Map<string, number>();
  const spent = new Set<string>();
  for (const text of texts) {
    const tx = decodeTx(ctx, asString(text), true) ?? fail(RPC_CODE.DESERIALIZATION_ERROR, 'Transaction hex string decoding failure.');
    const found = await ctx.client.outputs(outpointsOf(tx));
    for (let i = 0; i < tx.inputCount; i++) {
      const outpoint = hashKey(tx.outpoint(i));
      if (spent.has(outpoint)) invalid('Transaction(s) are spending the same output more than once');
      const value = made.get(outpoint);
      if (value !== undefined) change -= value;
      else {
        if (found[i] === null) invalid('One or more transaction inputs are missing or have been spent already');
        const coin = coins.find(tx.outpoint(i));
        if (coin >= 0 && counts(coins.ownership(coin))) change -= coins.value(coin);
      }
      spent.add(outpoint);
    }
    for (let vout = 0; vout < tx.outputCount; vout++) {
      const value = counts(wallet.keys.isMine(tx.outputScript(vout))) ? tx.outputValue(vout) : 0;
      made.set(hashKey(outpointOf(tx.txid, vout)), value);
      change += value;
    }
  }
  return { balance_change: new Amount(change) };
};
