// What the declarations of the history calls have in common.
import { amount, arr, bool, hex, num, str, time } from './parts.js';
import type { ArgSpec, ResultSpec } from './types.js';

export const includeWatchOnlyArg: ArgSpec = bool('include_watchonly', 'Count outputs that are watched only', {
  default: 'true for watch-only wallets, otherwise false',
});

/** Arguments of the calls that list what was received. @param what the things they list */
export function receivedArgs(what: string): readonly ArgSpec[] {
  return [
    num('minconf', 'Count transactions with at least so many confirmations', { default: '1' }),
    bool('include_empty', `Also list ${what} that received nothing`, { default: 'false' }),
    includeWatchOnlyArg,
  ];
}

/** Whether coinbases count before they may be spent. Up to release 22 they never count. */
export const IMMATURE_ARG: ArgSpec = bool('include_immature_coinbase', 'Count coinbases that cannot be spent yet', {
  since: 23,
  default: 'false',
});

/** What is known of a transaction as a whole. */
export const transactionMembers: readonly ResultSpec[] = [
  num('confirmations', 'Confirmations; below 0 so many blocks ago another one took an input for good'),
  bool('generated?', 'A coinbase'),
  hex('blockhash?', 'Block it is in'),
  num('blockheight?', 'Height of that block'),
  num('blockindex?', 'Place in that block'),
  time('blocktime?', 'Time of that block'),
  bool('trusted?', 'In no block: whether it can be relied on'),
  hex('txid', 'Transaction'),
  hex('wtxid', 'The same with its witness', { since: 24 }),
  arr('alternate_wtxids', 'The same transaction with other witnesses, as far as the wallet saw them', { since: 24 }, [
    hex('Hash with witness'),
  ]),
  arr('walletconflicts', 'Others of the wallet that spend one of its inputs', [hex('txid', 'Transaction')]),
  arr('mempoolconflicts', 'Transactions of the mempool that keep it out of there', { since: 24 }, [hex('Transaction')]),
  time('time', 'Time of the transaction'),
  time('timereceived', 'When it was first seen'),
  str('bip125-replaceable', '"yes", "no" or "unknown": whether it may be replaced by one that pays more'),
  str('comment?', 'What the sender noted'),
  hex('replaced_by_txid?', 'What replaced it'),
  hex('replaces_txid?', 'What it replaces'),
  str('to?', 'Whom the sender noted'),
];

/** One output of a transaction. @param repeat whether each also tells of the transaction */
export function entryMembers(repeat: boolean): readonly ResultSpec[] {
  return [
    bool('involvesWatchonly?', 'Something of it is watched only'),
    str('address?', 'Address'),
    arr('parent_descs?', 'Descriptors of the wallet that the output comes from; received ones only', { since: 24 }, [str('Descriptor')]),
    str('category', '"send", "receive"; for coinbases "generate", "immature" or "orphan"'),
    amount('amount', 'BTC, negative when sent'),
    str('label?', 'Label of the address'),
    num('vout', 'Output'),
    amount('fee?', 'Fee of the whole transaction, negative; sent ones only'),
    ...(repeat ? transactionMembers : []),
    bool('abandoned?', 'Given up by abandontransaction'),
  ];
}
