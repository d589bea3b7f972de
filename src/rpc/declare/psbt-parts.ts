// Parts that the declarations about PSBTs share.
import { TX_MEMBERS } from './members.js';
import type { ArgSpec, ResultSpec } from './types.js';

/** Argument: a PSBT. */
export const PSBT_ARG: ArgSpec = { name: 'psbt', type: 'str', help: 'A PSBT in Base64' };

/** Argument: the version of a transaction that is built. */
export const TX_VERSION_ARG: ArgSpec = { name: 'version', type: 'num', since: 30, default: '2', help: 'Version of the transaction' };

/** Argument: the version of a PSBT that is made. */
export const PSBT_VERSION_ARG: ArgSpec = {
  name: 'psbt_version',
  type: 'num',
  since: 32,
  default: '2',
  help: 'Version of the PSBT: 0 or 2',
};

/** Argument: several. */
export const PSBTS_ARG: ArgSpec = {
  name: 'txs',
  type: 'arr',
  help: 'PSBTs in Base64',
  inner: [{ name: 'psbt', type: 'str', help: 'A PSBT' }],
};

const inner = (key: string, help: string): ResultSpec => ({
  type: 'obj',
  key,
  optional: true,
  help,
  inner: [
    { type: 'str', key: 'asm', help: 'In words' },
    { type: 'hex', key: 'hex', help: 'As hex' },
    { type: 'str', key: 'type', help: 'Its type' },
  ],
});

const keyPaths = (key: string, more: readonly ResultSpec[] = []): ResultSpec => ({
  type: 'arr',
  key,
  optional: true,
  help: '',
  inner: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'hex', key: 'pubkey', help: 'The public key' },
        { type: 'str', key: 'master_fingerprint', help: 'Fingerprint of the master key' },
        { type: 'str', key: 'path', help: 'The path to it' },
        ...more,
      ],
    },
  ],
});

const UNKNOWN: ResultSpec = {
  type: 'obj-dyn',
  key: 'unknown',
  optional: true,
  help: 'Fields that are not understood',
  inner: [{ type: 'hex', key: 'key', help: 'The value under its key' }],
};

const TAP_KEY_PATHS = keyPaths('taproot_bip32_derivs', [
  { type: 'arr', key: 'leaf_hashes', help: 'Leaves it signs for', inner: [{ type: 'hex', help: 'Hash of a leaf' }] },
]);
const TAP_INTERNAL_KEY: ResultSpec = { type: 'hex', key: 'taproot_internal_key', optional: true, help: 'The internal key (BIP341)' };

/** A script that is paid. */
export const PAID_SCRIPT_MEMBERS: readonly ResultSpec[] = [
  { type: 'str', key: 'asm', help: 'The script in words' },
  { type: 'str', key: 'desc', since: 23, help: 'Its descriptor, as far as the script tells' },
  { type: 'hex', key: 'hex', help: 'The script' },
  { type: 'str', key: 'address', since: 22, optional: true, help: 'Its address' },
  { type: 'str', key: 'type', help: 'Its type' },
  { type: 'str', key: 'address', until: 22, optional: true, help: 'Its address' },
];

const PROPRIETARY: ResultSpec = {
  type: 'arr',
  key: 'proprietary',
  since: 24,
  optional: true,
  help: "Fields of somebody's own",
  inner: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'hex', key: 'identifier', help: 'Whose they are' },
        { type: 'num', key: 'subtype', help: 'Which of theirs' },
        { type: 'hex', key: 'key', help: 'The whole key' },
        { type: 'hex', key: 'value', help: 'The value' },
      ],
    },
  ],
};

const PARTICIPANTS: ResultSpec = {
  type: 'arr',
  key: 'musig2_participant_pubkeys',
  since: 30,
  optional: true,
  help: 'Keys that others are aggregated to (BIP373)',
  inner: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'hex', key: 'aggregate_pubkey', help: 'The aggregate' },
        { type: 'arr', key: 'participant_pubkeys', help: '', inner: [{ type: 'hex', help: 'A key of it' }] },
      ],
    },
  ],
};

const musigSigners = (key: string, name: string, help: string): ResultSpec => ({
  type: 'arr',
  key,
  since: 30,
  optional: true,
  help: '',
  inner: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'hex', key: 'participant_pubkey', help: 'The key of the participant' },
        { type: 'hex', key: 'aggregate_pubkey', help: 'The aggregate that it is for' },
        { type: 'hex', key: 'leaf_hash', optional: true, help: 'The leaf that has the aggregate; absent for the output key' },
        { type: 'hex', key: name, help },
      ],
    },
  ],
});

const preimages = (hash: string): ResultSpec => ({
  type: 'obj-dyn',
  key: `${hash}_preimages`,
  since: 24,
  optional: true,
  help: '',
  inner: [{ type: 'hex', key: 'hash', help: 'The preimage of a hash' }],
});

const num = (key: string, help: string): ResultSpec => ({ type: 'num', key, since: 32, optional: true, help });
const flag = (key: string, help: string): ResultSpec => ({ type: 'bool', key, since: 32, optional: true, help });

/** Results of decodepsbt. */
export const PSBT_MEMBERS: readonly ResultSpec[] = [
  { type: 'obj', key: 'tx', optional: true, help: 'The transaction, of version 0', inner: TX_MEMBERS },
  {
    type: 'arr',
    key: 'global_xpubs',
    since: 24,
    help: '',
    inner: [
      {
        type: 'obj',
        help: '',
        inner: [
          { type: 'str', key: 'xpub', help: 'An extended public key' },
          { type: 'hex', key: 'master_fingerprint', help: 'Fingerprint of its master key' },
          { type: 'str', key: 'path', help: 'The path to it' },
        ],
      },
    ],
  },
  num('tx_version', 'Version of the transaction'),
  num('fallback_locktime', 'Its lock time when no input asks for one'),
  num('input_count', 'Inputs'),
  num('output_count', 'Outputs'),
  flag('inputs_modifiable', 'Whether inputs may be added or removed'),
  flag('outputs_modifiable', 'Whether outputs may be'),
  flag('has_sighash_single', 'Whether an input has a signature with SIGHASH_SINGLE'),
  { type: 'num', key: 'psbt_version', since: 24, help: 'Version of the format' },
  { ...PROPRIETARY, optional: false },
  { ...UNKNOWN, optional: false },
  {
    type: 'arr',
    key: 'inputs',
    help: '',
    inner: [
      {
        type: 'obj',
        help: '',
        inner: [
          {
            type: 'obj',
            key: 'witness_utxo',
            optional: true,
            help: 'The output spent',
            inner: [
              { type: 'amount', key: 'amount', help: 'Amount in BTC' },
              {
                type: 'obj',
                key: 'scriptPubKey',
                help: '',
                inner: PAID_SCRIPT_MEMBERS,
              },
            ],
          },
          { type: 'obj', key: 'non_witness_utxo', optional: true, help: 'The transaction spent', inner: TX_MEMBERS },
          {
            type: 'obj-dyn',
            key: 'partial_signatures',
            optional: true,
            help: '',
            inner: [{ type: 'hex', key: 'pubkey', help: 'The signature of a public key' }],
          },
          { type: 'str', key: 'sighash', optional: true, help: 'What signatures are to commit to' },
          inner('redeem_script', ''),
          inner('witness_script', ''),
          keyPaths('bip32_derivs'),
          {
            type: 'obj',
            key: 'final_scriptSig',
            optional: true,
            help: '',
            inner: [
              { type: 'str', key: 'asm', help: 'In words' },
              { type: 'hex', key: 'hex', help: 'As hex' },
            ],
          },
          { type: 'arr', key: 'final_scriptwitness', optional: true, help: '', inner: [{ type: 'hex', help: 'A witness item' }] },
          ...['ripemd160', 'sha256', 'hash160', 'hash256'].map(preimages),
          { type: 'hex', key: 'previous_txid', since: 32, optional: true, help: 'The transaction whose output is spent' },
          num('previous_vout', 'The output spent'),
          num('sequence', 'Sequence number'),
          num('time_locktime', 'The lock time that the input asks for'),
          num('height_locktime', 'The same as a height'),
          { type: 'hex', key: 'taproot_key_path_sig', optional: true, help: 'Signature of the output key (BIP371)' },
          {
            type: 'arr',
            key: 'taproot_script_path_sigs',
            optional: true,
            help: '',
            inner: [
              {
                type: 'obj',
                help: '',
                inner: [
                  { type: 'hex', key: 'pubkey', help: 'The x-only key' },
                  { type: 'hex', key: 'leaf_hash', help: 'Hash of the leaf' },
                  { type: 'hex', key: 'sig', help: 'The signature' },
                ],
              },
            ],
          },
          {
            type: 'arr',
            key: 'taproot_scripts',
            optional: true,
            help: '',
            inner: [
              {
                type: 'obj',
                help: '',
                inner: [
                  { type: 'hex', key: 'script', help: 'The script of a leaf' },
                  { type: 'num', key: 'leaf_ver', help: 'Its version' },
                  { type: 'arr', key: 'control_blocks', help: '', inner: [{ type: 'hex', help: 'A control block' }] },
                ],
              },
            ],
          },
          TAP_KEY_PATHS,
          TAP_INTERNAL_KEY,
          { type: 'hex', key: 'taproot_merkle_root', optional: true, help: 'Root of the script tree' },
          PARTICIPANTS,
          musigSigners('musig2_pubnonces', 'pubnonce', 'The public nonce'),
          musigSigners('musig2_partial_sigs', 'partial_sig', 'The partial signature'),
          PROPRIETARY,
          UNKNOWN,
        ],
      },
    ],
  },
  {
    type: 'arr',
    key: 'outputs',
    help: '',
    inner: [
      {
        type: 'obj',
        help: '',
        inner: [
          inner('redeem_script', ''),
          inner('witness_script', ''),
          keyPaths('bip32_derivs'),
          { type: 'amount', key: 'amount', since: 32, optional: true, help: 'Amount in BTC' },
          { type: 'obj', key: 'script', since: 32, optional: true, help: 'The script that is paid', inner: PAID_SCRIPT_MEMBERS },
          TAP_INTERNAL_KEY,
          {
            type: 'arr',
            key: 'taproot_tree',
            optional: true,
            help: 'Leaves from left to right',
            inner: [
              {
                type: 'obj',
                help: '',
                inner: [
                  { type: 'num', key: 'depth', help: 'Steps from the root' },
                  { type: 'num', key: 'leaf_ver', help: 'Version' },
                  { type: 'hex', key: 'script', help: 'Script' },
                ],
              },
            ],
          },
          TAP_KEY_PATHS,
          PARTICIPANTS,
          PROPRIETARY,
          UNKNOWN,
        ],
      },
    ],
  },
  { type: 'amount', key: 'fee', optional: true, help: 'The fee in BTC, when all outputs spent are known' },
];
