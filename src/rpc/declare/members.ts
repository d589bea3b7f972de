// Parts that several declarations share: members of headers, scripts, transactions and pool entries.
import type { Release } from '../../policy/compat.js';
import type { ArgSpec, ResultSpec } from './types.js';

/** Members of a header object after size and weight, up to the merkle root. */
export const HEADER_MEMBERS: readonly ResultSpec[] = [
  { type: 'num', key: 'height', help: 'Height' },
  { type: 'num', key: 'version', help: 'Version' },
  { type: 'hex', key: 'versionHex', help: 'Version as hex' },
  { type: 'hex', key: 'merkleroot', help: 'Merkle root' },
];

/** The members that end a header object. */
export const HEADER_TAIL: readonly ResultSpec[] = [
  { type: 'num-time', key: 'time', help: 'Block time' },
  { type: 'num-time', key: 'mediantime', help: 'Median time past' },
  { type: 'num', key: 'nonce', help: 'Nonce' },
  { type: 'hex', key: 'bits', help: 'Compact target' },
  { type: 'hex', key: 'target', since: 29, help: 'The target itself' },
  { type: 'num', key: 'difficulty', help: 'Difficulty' },
  { type: 'hex', key: 'chainwork', help: 'Work of the chain up to this block' },
  { type: 'num', key: 'nTx', help: 'Transactions in the block' },
  { type: 'hex', key: 'previousblockhash', optional: true, help: 'Hash of the block before' },
  { type: 'hex', key: 'nextblockhash', optional: true, help: 'Hash of the block after' },
];

/** Members of an output script. */
export const SCRIPT_MEMBERS: readonly ResultSpec[] = [
  { type: 'str', key: 'asm', help: 'The script in words' },
  { type: 'str', key: 'desc', since: 23, help: 'Its descriptor, as far as the script tells' },
  { type: 'hex', key: 'hex', help: 'The script' },
  { type: 'num', key: 'reqSigs', until: 23, optional: true, help: 'Signatures needed' },
  { type: 'str', key: 'address', since: 22, optional: true, help: 'Its address, unless it is a multisig or has none' },
  { type: 'str', key: 'type', help: 'Its type' },
  { type: 'arr', key: 'addresses', until: 23, optional: true, help: '', inner: [{ type: 'str', help: 'An address' }] },
];

/** Members of a transaction. @param prevout what an input spends, when it is shown */
/**
 * @param prevout more of an input
 * @param more more of an output
 */
const txMembers = (prevout: readonly ResultSpec[] = [], more: readonly ResultSpec[] = []): readonly ResultSpec[] => [
  { type: 'hex', key: 'txid', help: 'The transaction id' },
  { type: 'hex', key: 'hash', help: 'Hash with witness' },
  { type: 'num', key: 'version', help: 'Version' },
  { type: 'num', key: 'size', help: 'Bytes' },
  { type: 'num', key: 'vsize', help: 'Virtual size (BIP141)' },
  { type: 'num', key: 'weight', help: 'Weight' },
  { type: 'num-time', key: 'locktime', help: 'Lock time' },
  {
    type: 'arr',
    key: 'vin',
    help: '',
    inner: [
      {
        type: 'obj',
        help: '',
        inner: [
          { type: 'hex', key: 'coinbase', optional: true, help: 'scriptSig of a coinbase, in place of the next three' },
          { type: 'hex', key: 'txid', optional: true, help: 'The transaction id' },
          { type: 'num', key: 'vout', optional: true, help: 'The output number' },
          {
            type: 'obj',
            key: 'scriptSig',
            optional: true,
            help: 'The script',
            inner: [
              { type: 'str', key: 'asm', help: 'In words' },
              { type: 'hex', key: 'hex', help: 'As hex' },
            ],
          },
          { type: 'arr', key: 'txinwitness', optional: true, help: '', inner: [{ type: 'hex', help: 'A witness item' }] },
          ...prevout,
          { type: 'num', key: 'sequence', help: 'Sequence number' },
        ],
      },
    ],
  },
  {
    type: 'arr',
    key: 'vout',
    help: '',
    inner: [
      {
        type: 'obj',
        help: '',
        inner: [
          { type: 'amount', key: 'value', help: 'Amount in BTC' },
          { type: 'num', key: 'n', help: 'Number' },
          { type: 'obj', key: 'scriptPubKey', help: '', inner: SCRIPT_MEMBERS },
          ...more,
        ],
      },
    ],
  },
];

/** Members of a transaction. */
export const TX_MEMBERS: readonly ResultSpec[] = txMembers();

/** The same as a wallet shows it. */
export const WALLET_TX_MEMBERS: readonly ResultSpec[] = txMembers(
  [],
  [{ type: 'bool', key: 'ischange', since: 31, optional: true, help: 'True where the output is change, else left out' }],
);

/** The same with what each input spends, which the method shows since a release. */
export const spendingMembers = (since: Release): readonly ResultSpec[] =>
  txMembers([
    {
      type: 'obj',
      key: 'prevout',
      since,
      optional: true,
      help: 'What the input spends',
      inner: [
        { type: 'bool', key: 'generated', help: 'Whether it is an output of a coinbase' },
        { type: 'num', key: 'height', help: 'Height of its block' },
        { type: 'amount', key: 'value', help: 'Amount in BTC' },
        { type: 'obj', key: 'scriptPubKey', help: '', inner: SCRIPT_MEMBERS },
      ],
    },
  ]);

const FEES: ResultSpec = {
  type: 'obj',
  key: 'fees',
  help: '',
  inner: [
    { type: 'amount', key: 'base', help: 'Fee in BTC' },
    { type: 'amount', key: 'modified', help: 'Fee with deltas, which decides the order in blocks' },
    { type: 'amount', key: 'ancestor', help: 'Modified fees of it and its unconfirmed ancestors' },
    { type: 'amount', key: 'descendant', help: 'Modified fees of it and its descendants' },
    { type: 'amount', key: 'chunk', since: 31, optional: true, help: 'Modified fees of what it is mined with' },
  ],
};

/** Members of a pool entry. */
export const ENTRY_MEMBERS: readonly ResultSpec[] = [
  { ...FEES, until: 31 },
  { type: 'num', key: 'vsize_adjusted', since: 32, help: 'Virtual size with signature operations' },
  { type: 'num', key: 'vsize', help: 'The same' },
  { type: 'num', key: 'vsize_bip141', since: 32, help: 'Virtual size (BIP141)' },
  { type: 'num', key: 'weight', help: 'Weight (BIP141)' },
  { type: 'amount', until: 24, key: 'fee', optional: true, help: 'Fee in BTC (old)' },
  { type: 'amount', until: 24, key: 'modifiedfee', optional: true, help: 'Fee with deltas (old)' },
  { type: 'num-time', key: 'time', help: 'When it came, seconds since 1970' },
  { type: 'num', key: 'height', help: 'Height of the tip when it came' },
  { type: 'num', key: 'descendantcount', help: 'Descendants and itself' },
  { type: 'num', key: 'descendantsize', help: 'Their virtual size' },
  { type: 'num', until: 24, key: 'descendantfees', optional: true, help: 'Their modified fees in satoshis (old)' },
  { type: 'num', key: 'ancestorcount', help: 'Unconfirmed ancestors and itself' },
  { type: 'num', key: 'ancestorsize', help: 'Their virtual size' },
  { type: 'num', until: 24, key: 'ancestorfees', optional: true, help: 'Their modified fees in satoshis (old)' },
  { type: 'hex', key: 'wtxid', help: 'Hash with witness' },
  { type: 'num', key: 'chunkweight', since: 31, optional: true, help: 'Sigop-adjusted weight of what it is mined with' },
  { ...FEES, since: 31 },
  { type: 'arr', key: 'depends', help: 'Unconfirmed parents', inner: [{ type: 'hex', help: 'A transaction id' }] },
  { type: 'arr', key: 'spentby', help: 'Unconfirmed children', inner: [{ type: 'hex', help: 'A transaction id' }] },
  { type: 'bool', key: 'bip125-replaceable', optional: true, help: 'Whether it can be replaced (BIP125); since 32 -deprecatedrpc=bip125' },
  { type: 'bool', key: 'unbroadcast', help: 'Whether no peer asked for it yet' },
];

/** Warnings about the node or the network: a text, since release 28 a list. */
export const NODE_WARNINGS: readonly ResultSpec[] = [
  { type: 'str', key: 'warnings', until: 28, help: 'Warnings about the node or the network' },
  { type: 'arr', key: 'warnings', since: 28, help: 'Warnings about the node or the network', inner: [{ type: 'str', help: '' }] },
];

/** The ten free arguments of echo and echojson. */
export const ECHO_ARGS: readonly ArgSpec[] = Array.from({ length: 10 }, (_, i) => ({
  name: `arg${i}`,
  type: 'str' as const,
  anyType: true,
  optional: true,
  help: '',
}));

/** Results of the calls that make a multisig script. */
export const MULTISIG_RESULTS: readonly ResultSpec[] = [
  {
    type: 'obj',
    help: '',
    inner: [
      { type: 'str', key: 'address', help: 'The address' },
      { type: 'hex', key: 'redeemScript', help: 'The script behind it' },
      { type: 'str', key: 'descriptor', help: 'Its descriptor' },
      { type: 'arr', key: 'warnings', since: 24, optional: true, help: 'Things to know', inner: [{ type: 'str', help: '' }] },
    ],
  },
];

/** What is to be known of a wallet that was made, loaded or unloaded. */
export const WARNINGS: readonly ResultSpec[] = [
  { type: 'str', key: 'warning', until: 26, help: 'Things to know, one per line' },
  { type: 'arr', key: 'warnings', since: 25, optional: true, help: 'Things to know', inner: [{ type: 'str', help: '' }] },
];

/** The block up to which a wallet has recorded everything. */
export const LAST_PROCESSED: ResultSpec = {
  type: 'obj',
  key: 'lastprocessedblock',
  since: 26,
  optional: true,
  help: 'The block that these facts reflect',
  inner: [
    { type: 'hex', key: 'hash', help: 'Its hash' },
    { type: 'num', key: 'height', help: 'Its height' },
  ],
};
