// Members that several declarations share: of headers, scripts, transactions, and mempool entries.
import type { Release } from '../../policy/compat.js';
import { amount, arr, bool, hex, num, obj, str, time } from './parts.js';
import type { ArgSpec, ResultSpec } from './types.js';

/** Members of a header object after size and weight, up to the merkle root. */
export const HEADER_MEMBERS: readonly ResultSpec[] = [
  num('height', 'Height'),
  num('version', 'Version'),
  hex('versionHex', 'Version as hex'),
  hex('merkleroot', 'Merkle root'),
];

/** Last members of a header object. */
export const HEADER_TAIL: readonly ResultSpec[] = [
  time('time', 'Block time'),
  time('mediantime', 'Median time past'),
  num('nonce', 'Nonce'),
  hex('bits', 'Compact target'),
  hex('target', 'Target in full', { since: 29 }),
  num('difficulty', 'Difficulty'),
  hex('chainwork', 'Work of the chain up to this block'),
  num('nTx', 'Transactions in the block'),
  hex('previousblockhash?', 'Hash of the previous block'),
  hex('nextblockhash?', 'Hash of the next block'),
];

/** Members of an output script. */
export const SCRIPT_MEMBERS: readonly ResultSpec[] = [
  str('asm', 'The script in text form (asm)'),
  str('desc', 'Descriptor of the script, inferred from the script alone', { since: 23 }),
  hex('hex', 'The script'),
  num('reqSigs?', 'Signatures needed', { until: 23 }),
  str('address?', 'Address of the script. Absent for multisig scripts and scripts without an address', { since: 22 }),
  str('type', 'Type of the script'),
  arr('addresses?', '', { until: 23 }, [str('An address')]),
];

/**
 * Returns the members of a transaction.
 * @param prevout more members of an input
 * @param more more members of an output
 */
const txMembers = (prevout: readonly ResultSpec[] = [], more: readonly ResultSpec[] = []): readonly ResultSpec[] => [
  hex('txid', 'The transaction id'),
  hex('hash', 'Hash with witness'),
  num('version', 'Version'),
  num('size', 'Bytes'),
  num('vsize', 'Virtual size (BIP141)'),
  num('weight', 'Weight'),
  time('locktime', 'Lock time'),
  arr('vin', '', [
    obj([
      hex('coinbase?', 'The scriptSig of a coinbase. Replaces the next three members'),
      hex('txid?', 'The transaction id'),
      num('vout?', 'The output number'),
      obj('scriptSig?', 'The script', [str('asm', 'Script in text form (asm)'), hex('hex', 'As hex')]),
      arr('txinwitness?', '', [hex('A witness item')]),
      ...prevout,
      num('sequence', 'Sequence number'),
    ]),
  ]),
  arr('vout', '', [obj([amount('value', 'Amount in BTC'), num('n', 'Number'), obj('scriptPubKey', '', SCRIPT_MEMBERS), ...more])]),
];

export const TX_MEMBERS: readonly ResultSpec[] = txMembers();

/** Members of a transaction as wallets show it. */
export const WALLET_TX_MEMBERS: readonly ResultSpec[] = txMembers(
  [],
  [bool('ischange?', 'Whether the output is change. Absent if not', { since: 31 })],
);

/**
 * Returns the members of a transaction with the outputs that its inputs spend.
 * @param since release since which the method shows them
 */
export const spendingMembers = (since: Release): readonly ResultSpec[] =>
  txMembers([
    obj('prevout?', 'The output that the input spends', { since }, [
      bool('generated', 'Whether the output belongs to a coinbase'),
      num('height', 'Height of the block that contains the output'),
      amount('value', 'Amount in BTC'),
      obj('scriptPubKey', '', SCRIPT_MEMBERS),
    ]),
  ]);

const FEES: ResultSpec = obj('fees', '', [
  amount('base', 'Fee in BTC'),
  amount('modified', 'Fee with deltas of prioritisetransaction, used for mining'),
  amount('ancestor', 'Modified fees of the transaction and its unconfirmed ancestors'),
  amount('descendant', 'Modified fees of the transaction and its descendants'),
  amount('chunk?', 'Modified fees of the chunk of the transaction', { since: 31 }),
]);

/** Members of a mempool entry. */
export const ENTRY_MEMBERS: readonly ResultSpec[] = [
  { ...FEES, until: 31 },
  num('vsize_adjusted', 'Virtual size, adjusted for signature operations', { since: 32 }),
  num('vsize', 'Virtual size with signature operations'),
  num('vsize_bip141', 'Virtual size (BIP141)', { since: 32 }),
  num('weight', 'Weight (BIP141)'),
  amount('fee?', 'Fee in BTC (old)', { until: 24 }),
  amount('modifiedfee?', 'Fee with deltas (old)', { until: 24 }),
  time('time', 'Time at which the transaction entered the mempool, in seconds since 1970'),
  num('height', 'Height of the tip when the transaction entered the mempool'),
  num('descendantcount', 'Number of descendants, including the transaction'),
  num('descendantsize', 'Sum of their virtual sizes'),
  num('descendantfees?', 'Their modified fees in satoshis (old)', { until: 24 }),
  num('ancestorcount', 'Number of unconfirmed ancestors, including the transaction'),
  num('ancestorsize', 'Sum of their virtual sizes'),
  num('ancestorfees?', 'Their modified fees in satoshis (old)', { until: 24 }),
  hex('wtxid', 'Hash with witness'),
  num('chunkweight?', 'Sigop-adjusted weight of the chunk of the transaction', { since: 31 }),
  { ...FEES, since: 31 },
  arr('depends', 'Unconfirmed parents', [hex('A transaction id')]),
  arr('spentby', 'Unconfirmed children', [hex('A transaction id')]),
  bool('bip125-replaceable?', 'Whether the transaction signals replaceability (BIP125). Since release 32 only with -deprecatedrpc=bip125'),
  bool('unbroadcast', 'Whether no peer has requested the transaction yet'),
];

/** Warnings about the node or the network: one text, since release 28 a list. */
export const NODE_WARNINGS: readonly ResultSpec[] = [
  str('warnings', 'Warnings about the node or the network', { until: 28 }),
  arr('warnings', 'Warnings about the node or the network', { since: 28 }, [str()]),
];

/** The ten free arguments of echo and echojson. */
export const ECHO_ARGS: readonly ArgSpec[] = Array.from({ length: 10 }, (_, i) => str(`arg${i}`, '', { anyType: true, optional: true }));

/** Results of the calls that make a multisig script. */
export const MULTISIG_RESULTS: readonly ResultSpec[] = [
  obj([
    str('address', 'The address'),
    hex('redeemScript', 'The redeem or witness script'),
    str('descriptor', 'Descriptor of the output'),
    arr('warnings?', 'Warnings', { since: 24 }, [str()]),
  ]),
];

/** Warnings about a wallet that was created, loaded, or unloaded. */
export const WARNINGS: readonly ResultSpec[] = [
  str('warning', 'Warnings, one per line', { until: 26 }),
  arr('warnings?', 'Warnings', { since: 25 }, [str()]),
];

/** The block up to which a wallet has recorded everything. */
export const LAST_PROCESSED: ResultSpec = obj('lastprocessedblock?', 'The last block that the wallet has processed', { since: 26 }, [
  hex('hash', 'Its hash'),
  num('height', 'Its height'),
]);
