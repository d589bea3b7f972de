// What the declarations of the history calls have in common.
import type { ArgSpec, ResultSpec } from './types.js';

export const includeWatchOnlyArg: ArgSpec = {
  name: 'include_watchonly',
  type: 'bool',
  default: 'true for watch-only wallets, otherwise false',
  help: 'Count outputs that are watched only',
};

/** Arguments of the calls that list what was received. @param what the things they list */
export function receivedArgs(what: string): readonly ArgSpec[] {
  return [
    { name: 'minconf', type: 'num', default: '1', help: 'Count transactions with at least so many confirmations' },
    { name: 'include_empty', type: 'bool', default: 'false', help: `Also list ${what} that received nothing` },
    includeWatchOnlyArg,
  ];
}

/** Whether coinbases count before they may be spent. Up to release 22 they never count. */
export const IMMATURE_ARG: ArgSpec = {
  name: 'include_immature_coinbase',
  type: 'bool',
  since: 23,
  default: 'false',
  help: 'Count coinbases that cannot be spent yet',
};

/** What is known of a transaction as a whole. */
export const transactionMembers: readonly ResultSpec[] = [
  { type: 'num', key: 'confirmations', help: 'Confirmations; below 0 so many blocks ago another one took an input for good' },
  { type: 'bool', key: 'generated', optional: true, help: 'A coinbase' },
  { type: 'hex', key: 'blockhash', optional: true, help: 'Block it is in' },
  { type: 'num', key: 'blockheight', optional: true, help: 'Height of that block' },
  { type: 'num', key: 'blockindex', optional: true, help: 'Place in that block' },
  { type: 'num-time', key: 'blocktime', optional: true, help: 'Time of that block' },
  { type: 'bool', key: 'trusted', optional: true, help: 'In no block: whether it can be relied on' },
  { type: 'hex', key: 'txid', help: 'Transaction' },
  { type: 'hex', key: 'wtxid', since: 24, help: 'The same with its witness' },
  {
    type: 'arr',
    key: 'alternate_wtxids',
    since: 24,
    help: 'The same transaction with other witnesses, as far as the wallet saw them',
    inner: [{ type: 'hex', help: 'Hash with witness' }],
  },
  {
    type: 'arr',
    key: 'walletconflicts',
    help: 'Others of the wallet that spend one of its inputs',
    inner: [{ type: 'hex', key: 'txid', help: 'Transaction' }],
  },
  {
    type: 'arr',
    key: 'mempoolconflicts',
    since: 24,
    help: 'Transactions of the mempool that keep it out of there',
    inner: [{ type: 'hex', help: 'Transaction' }],
  },
  { type: 'num-time', key: 'time', help: 'Time of the transaction' },
  { type: 'num-time', key: 'timereceived', help: 'When it was first seen' },
  { type: 'str', key: 'bip125-replaceable', help: '"yes", "no" or "unknown": whether it may be replaced by one that pays more' },
  { type: 'str', key: 'comment', optional: true, help: 'What the sender noted' },
  { type: 'hex', key: 'replaced_by_txid', optional: true, help: 'What replaced it' },
  { type: 'hex', key: 'replaces_txid', optional: true, help: 'What it replaces' },
  { type: 'str', key: 'to', optional: true, help: 'Whom the sender noted' },
];

/** One output of a transaction. @param repeat whether each also tells of the transaction */
export function entryMembers(repeat: boolean): readonly ResultSpec[] {
  return [
    { type: 'bool', key: 'involvesWatchonly', optional: true, help: 'Something of it is watched only' },
    { type: 'str', key: 'address', optional: true, help: 'Address' },
    {
      type: 'arr',
      key: 'parent_descs',
      since: 24,
      optional: true,
      help: 'Descriptors of the wallet that the output comes from; received ones only',
      inner: [{ type: 'str', help: 'Descriptor' }],
    },
    { type: 'str', key: 'category', help: '"send", "receive"; for coinbases "generate", "immature" or "orphan"' },
    { type: 'amount', key: 'amount', help: 'BTC, negative when sent' },
    { type: 'str', key: 'label', optional: true, help: 'Label of the address' },
    { type: 'num', key: 'vout', help: 'Output' },
    { type: 'amount', key: 'fee', optional: true, help: 'Fee of the whole transaction, negative; sent ones only' },
    ...(repeat ? transactionMembers : []),
    { type: 'bool', key: 'abandoned', optional: true, help: 'Given up by abandontransaction' },
  ];
}
