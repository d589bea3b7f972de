// Parts that the declarations about PSBTs share.
import { SCRIPT_MEMBERS, TX_MEMBERS } from './members.js';
import type { ArgSpec, ResultSpec } from './types.js';

/** Argument: a PSBT. */
export const PSBT_ARG: ArgSpec = { name: 'psbt', type: 'str', help: 'A PSBT in Base64' };

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

/** Results of decodepsbt. */
export const PSBT_MEMBERS: readonly ResultSpec[] = [
  { type: 'obj', key: 'tx', help: 'The transaction', inner: TX_MEMBERS },
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
                inner: [
                  ...SCRIPT_MEMBERS.filter(({ key }) => key === 'asm' || key === 'hex' || key === 'type'),
                  { type: 'str', key: 'address', optional: true, help: 'Its address' },
                ],
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
          UNKNOWN,
        ],
      },
    ],
  },
  { type: 'amount', key: 'fee', optional: true, help: 'The fee in BTC, when all outputs spent are known' },
];
