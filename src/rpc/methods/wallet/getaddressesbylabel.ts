import type { WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { dyn, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { addressText, destinationKey } from '../../wallet/addresses.js';
import { labelOf, walletOf } from '../../wallet/select.js';
import { Pieces } from '../../wire/pieces.js';
import { RawJson } from '../../wire/values.js';

export const spec = declare({
  name: 'getaddressesbylabel',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns the addresses of a label.',
  args: [str('label', 'The label')],
  results: [dyn('Addresses of the label', [obj('address', '', [str('purpose', 'send or receive')])])],
  examples: [{ cli: '"tabby"', rpc: '"tabby"' }],
});

export const getaddressesbylabel: WalletRun<typeof spec> = (params, ctx, call) => {
  const { book } = walletOf(ctx, call);
  const label = labelOf(params.label);
  const rows = book.rowsOf(label);
  if (rows.length === 0) fail(RPC_CODE.WALLET_INVALID_LABEL_NAME, `No addresses with label ${label}`);
  const found = Array.from(rows, (row) => ({ row, key: destinationKey(book.scriptAt(row)) }));
  const pieces = new Pieces(',');
  for (const { row } of found.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    pieces.add(`"${addressText(ctx, book.scriptAt(row))}":{"purpose":"${book.purposeAt(row)}"}`);
  }
  return new RawJson(`{${pieces.text()}}`);
};
