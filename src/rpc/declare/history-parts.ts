// Parts of declarations of methods that show a wallet's history.
import { amount, arr, bool, hex, num, str, time } from './parts.js';
import type { ResultSpec } from './types.js';

export const includeWatchOnlyArg = bool('include_watchonly', 'Include watch-only outputs', {
  default: 'true for watch-only wallets, otherwise false',
});

/** Returns the arguments of methods that list received amounts. @param what plural of the things that they list */
export function receivedArgs(what: string) {
  return [
    num('minconf', 'Minimum number of confirmations', { default: '1' }),
    bool('include_empty', `Include ${what} that received nothing`, { default: 'false' }),
    includeWatchOnlyArg,
  ] as const;
}

/** Argument: whether to count coinbases that cannot be spent yet. Up to release 22 they never count. */
export const IMMATURE_ARG = bool('include_immature_coinbase', 'Include immature coinbases', {
  since: 23,
  default: 'false',
});

/** Members that describe a transaction as a whole. */
export const transactionMembers: readonly ResultSpec[] = [
  num('confirmations', 'Number of confirmations. Negative: number of blocks since a conflicting transaction was confirmed'),
  bool('generated?', 'Whether the transaction is a coinbase'),
  hex('blockhash?', 'Hash of the block'),
  num('blockheight?', 'Height of that block'),
  num('blockindex?', 'Position in that block'),
  time('blocktime?', 'Time of that block'),
  bool('trusted?', 'Whether the wallet trusts an unconfirmed transaction'),
  hex('txid', 'Transaction'),
  hex('wtxid', 'The transaction hash, which includes the witness', { since: 24 }),
  arr('alternate_wtxids', 'The same transaction with other witnesses, if the wallet has seen them', { since: 24 }, [
    hex('Hash with witness'),
  ]),
  arr('walletconflicts', 'Transactions of the wallet that conflict with this one', [hex('txid', 'Transaction')]),
  arr('mempoolconflicts', 'Transactions in the mempool that conflict with this one', { since: 24 }, [hex('Transaction')]),
  time('time', 'Time of the transaction'),
  time('timereceived', 'Time at which the wallet first saw the transaction'),
  str('bip125-replaceable', 'Whether the transaction may be replaced (BIP125): "yes", "no" or "unknown"'),
  str('comment?', 'Comment of the sender'),
  hex('replaced_by_txid?', 'Id of the replacement'),
  hex('replaces_txid?', 'Id of the replaced transaction'),
  str('to?', 'Comment of the sender about the recipient'),
];

/**
 * Returns the members that describe an output of a transaction.
 * @param repeat whether each entry also describes the transaction
 */
export function entryMembers(repeat: boolean): readonly ResultSpec[] {
  return [
    bool('involvesWatchonly?', 'Whether a watch-only address is involved'),
    str('address?', 'Address'),
    arr('parent_descs?', 'Descriptors of the wallet for the output. Only for received outputs', { since: 24 }, [str('Descriptor')]),
    str('category', '"send" or "receive"; for coinbases "generate", "immature" or "orphan"'),
    amount('amount', 'BTC, negative when sent'),
    str('label?', 'Label of the address'),
    num('vout', 'Output'),
    amount('fee?', 'Fee of the whole transaction (negative). Only for sent outputs'),
    ...(repeat ? transactionMembers : []),
    bool('abandoned?', 'Whether the transaction was abandoned (abandontransaction)'),
  ];
}
