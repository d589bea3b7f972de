import { sortInSlices } from '../../../lib/sort-in-slices.js';
import type { WalletRun } from '../../context/wallet.js';
import { fail, RPC_CODE } from '../../errors.js';
import { mapInSlices, Slicer } from '../../node/slices.js';
import { addressText, destinationKey } from '../../wallet/addresses.js';
import { labelOf, walletOf } from '../../wallet/select.js';
import { Pieces } from '../../wire/pieces.js';
import { RawJson } from '../../wire/values.js';
import type { getaddressesbylabel as spec } from './getaddressesbylabel.spec.js';

export const getaddressesbylabel: WalletRun<typeof spec> = async (params, ctx, call) => {
  const { book } = walletOf(ctx, call);
  const label = labelOf(params.label);
  const rows = book.rowsOf(label);
  if (rows.length === 0) fail(RPC_CODE.WALLET_INVALID_LABEL_NAME, `No addresses with label ${label}`);
  const slicer = new Slicer(call.yieldToUrgent);
  const purposes = Array.from(rows, (row) => book.purposeAt(row));
  const found = await mapInSlices(rows, (row, i) => ({ row, purpose: purposes[i], key: destinationKey(book.scriptAt(row)) }), slicer);
  const pieces = new Pieces(',');
  for (const { row, purpose } of await sortInSlices(found, (a, b) => (a.key < b.key ? -1 : 1), slicer)) {
    pieces.add(`"${addressText(ctx, book.scriptAt(row))}":{"purpose":"${purpose}"}`);
    if (slicer.due) await slicer.pause();
  }
  return new RawJson(`{${pieces.text()}}`);
};
