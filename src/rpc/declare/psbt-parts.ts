// Parts of declarations of methods that work with PSBTs.
import { TX_MEMBERS } from './members.js';
import { amount, arr, bool, dyn, hex, num, obj, str } from './parts.js';
import type { ResultSpec } from './types.js';

/** Argument: a PSBT. */
export const PSBT_ARG = str('psbt', 'A PSBT in Base64');

/** Argument: version of a new transaction. */
export const TX_VERSION_ARG = num('version', 'Version of the transaction', { as: 'uint32', since: 30, default: '2' });

/** Argument: version of a new PSBT. */
export const PSBT_VERSION_ARG = num('psbt_version', 'Version of the PSBT: 0 or 2', {
  as: 'uint32',
  since: 32,
  default: '0, with -compat=31 2',
});

/** Argument: several PSBTs. */
export const PSBTS_ARG = arr('txs', 'PSBTs in Base64', [str('psbt', 'A PSBT')]);

const inner = (key: string, help: string): ResultSpec =>
  obj(key, help, { optional: true }, [str('asm', 'Script in text form (asm)'), hex('hex', 'As hex'), str('type', 'Type of the script')]);

const keyPaths = (key: string, more: readonly ResultSpec[] = []): ResultSpec =>
  arr(key, '', { optional: true }, [
    obj([
      hex('pubkey', 'The public key'),
      str('master_fingerprint', 'Fingerprint of the master key'),
      str('path', 'Derivation path of the key'),
      ...more,
    ]),
  ]);

const UNKNOWN: ResultSpec = dyn('unknown?', 'Unknown fields', [hex('key', 'The value of this key')]);

const TAP_KEY_PATHS = keyPaths('taproot_bip32_derivs', [arr('leaf_hashes', 'Leaves for which the key signs', [hex('Hash of a leaf')])]);
const TAP_INTERNAL_KEY: ResultSpec = hex('taproot_internal_key?', 'The internal key (BIP341)');

/** Members of the script of an output. */
export const PAID_SCRIPT_MEMBERS: readonly ResultSpec[] = [
  str('asm', 'The script in text form (asm)'),
  str('desc', 'Descriptor of the script, inferred from the script alone', { since: 23 }),
  hex('hex', 'The script'),
  str('address?', 'Its address', { since: 22 }),
  str('type', 'Type of the script'),
  str('address?', 'Its address', { until: 22 }),
];

const PROPRIETARY: ResultSpec = arr('proprietary?', 'Proprietary fields', { since: 24 }, [
  obj([hex('identifier', 'Identifier of the owner'), num('subtype', 'Subtype'), hex('key', 'The whole key'), hex('value', 'The value')]),
]);

const PARTICIPANTS: ResultSpec = arr('musig2_participant_pubkeys?', 'Keys that are aggregates of other keys (BIP373)', { since: 30 }, [
  obj([hex('aggregate_pubkey', 'The aggregate key'), arr('participant_pubkeys', '', [hex('A key of the aggregate')])]),
]);

const musigSigners = (key: string, name: string, help: string): ResultSpec =>
  arr(key, '', { since: 30, optional: true }, [
    obj([
      hex('participant_pubkey', 'The key of the participant'),
      hex('aggregate_pubkey', 'The aggregate key'),
      hex('leaf_hash?', 'Hash of the leaf with the aggregate key. Absent for the output key'),
      hex(name, help),
    ]),
  ]);

const preimages = (hash: string): ResultSpec =>
  dyn(`${hash}_preimages`, '', { since: 24, optional: true }, [hex('hash', 'The preimage of a hash')]);

const later = (key: string, help: string): ResultSpec => num(key, help, { since: 32, optional: true });
const flag = (key: string, help: string): ResultSpec => bool(key, help, { since: 32, optional: true });

/** Results of decodepsbt. */
export const PSBT_MEMBERS: readonly ResultSpec[] = [
  obj('tx?', 'The transaction, of version 0', TX_MEMBERS),
  arr('global_xpubs', '', { since: 24 }, [
    obj([
      str('xpub', 'An extended public key'),
      hex('master_fingerprint', 'Fingerprint of its master key'),
      str('path', 'Derivation path of the key'),
    ]),
  ]),
  later('tx_version', 'Version of the transaction'),
  later('fallback_locktime', 'Lock time, unless an input requires another one'),
  later('input_count', 'Inputs'),
  later('output_count', 'Outputs'),
  flag('inputs_modifiable', 'Whether inputs may be added or removed'),
  flag('outputs_modifiable', 'Whether outputs may be added or removed'),
  flag('has_sighash_single', 'Whether an input has a signature with SIGHASH_SINGLE'),
  num('psbt_version', 'Version of the format', { since: 24 }),
  { ...PROPRIETARY, optional: false },
  { ...UNKNOWN, optional: false },
  arr('inputs', '', [
    obj([
      obj('witness_utxo?', 'The spent output', [amount('amount', 'Amount in BTC'), obj('scriptPubKey', '', PAID_SCRIPT_MEMBERS)]),
      obj('non_witness_utxo?', 'The transaction that contains the spent output', TX_MEMBERS),
      dyn('partial_signatures?', '', [hex('pubkey', 'The signature of a public key')]),
      str('sighash?', 'Signature hash type to use'),
      inner('redeem_script', ''),
      inner('witness_script', ''),
      keyPaths('bip32_derivs'),
      obj('final_scriptSig?', '', [str('asm', 'Script in text form (asm)'), hex('hex', 'As hex')]),
      arr('final_scriptwitness?', '', [hex('A witness item')]),
      ...['ripemd160', 'sha256', 'hash160', 'hash256'].map(preimages),
      hex('previous_txid?', 'The transaction whose output is spent', { since: 32 }),
      later('previous_vout', 'The spent output'),
      later('sequence', 'Sequence number'),
      later('time_locktime', 'Lock time that the input requires, as a time'),
      later('height_locktime', 'Lock time that the input requires, as a height'),
      hex('taproot_key_path_sig?', 'Signature of the output key (BIP371)'),
      arr('taproot_script_path_sigs?', '', [
        obj([hex('pubkey', 'The x-only key'), hex('leaf_hash', 'Hash of the leaf'), hex('sig', 'The signature')]),
      ]),
      arr('taproot_scripts?', '', [
        obj([hex('script', 'The script of a leaf'), num('leaf_ver', 'Its version'), arr('control_blocks', '', [hex('A control block')])]),
      ]),
      TAP_KEY_PATHS,
      TAP_INTERNAL_KEY,
      hex('taproot_merkle_root?', 'Root of the script tree'),
      PARTICIPANTS,
      musigSigners('musig2_pubnonces', 'pubnonce', 'The public nonce'),
      musigSigners('musig2_partial_sigs', 'partial_sig', 'The partial signature'),
      PROPRIETARY,
      UNKNOWN,
    ]),
  ]),
  arr('outputs', '', [
    obj([
      inner('redeem_script', ''),
      inner('witness_script', ''),
      keyPaths('bip32_derivs'),
      amount('amount?', 'Amount in BTC', { since: 32 }),
      obj('script?', 'The output script', { since: 32 }, PAID_SCRIPT_MEMBERS),
      TAP_INTERNAL_KEY,
      arr('taproot_tree?', 'Leaves from left to right', [
        obj([num('depth', 'Depth of the leaf in the tree'), num('leaf_ver', 'Version'), hex('script', 'Script')]),
      ]),
      TAP_KEY_PATHS,
      PARTICIPANTS,
      PROPRIETARY,
      UNKNOWN,
    ]),
  ]),
  amount('fee?', 'The fee in BTC. Absent if a spent output is unknown'),
];
