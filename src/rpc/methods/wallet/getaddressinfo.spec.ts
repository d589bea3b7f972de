// Declares getaddressinfo.
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const BEFORE_EMBEDDED: readonly ResultSpec[] = [
  { type: 'str', key: 'address', help: 'The address' },
  { type: 'hex', key: 'scriptPubKey', help: 'Its output script' },
  { type: 'bool', key: 'ismine', help: 'Whether the wallet can spend what is paid there' },
  { type: 'bool', key: 'solvable', help: 'Whether the wallet knows all but private keys for spending' },
  { type: 'str', key: 'desc', optional: true, help: 'A descriptor for it' },
  { type: 'bool', key: 'iswatchonly', help: 'Whether it is watched only' },
  { type: 'bool', key: 'isscript', optional: true, help: 'Whether a script is behind it' },
  { type: 'bool', key: 'iswitness', help: 'Whether it is a witness address' },
  { type: 'num', key: 'witness_version', optional: true, help: 'The witness version' },
  { type: 'hex', key: 'witness_program', optional: true, help: 'The witness program' },
  { type: 'str', key: 'script', optional: true, help: 'Kind of the redeem or witness script' },
  { type: 'hex', key: 'hex', optional: true, help: 'That script' },
  { type: 'arr', key: 'pubkeys', optional: true, help: 'Its keys, when it is multisig', inner: [{ type: 'hex', help: 'A key' }] },
  { type: 'num', key: 'sigsrequired', optional: true, help: 'Signatures it asks for' },
  { type: 'hex', key: 'pubkey', optional: true, help: 'The public key' },
];
const AFTER_EMBEDDED: readonly ResultSpec[] = [
  { type: 'bool', key: 'iscompressed', optional: true, help: 'Whether the public key is compressed' },
  { type: 'bool', key: 'ischange', help: 'Whether it is taken for change' },
  { type: 'num-time', key: 'timestamp', optional: true, help: 'When its key was made or from when it matters' },
  { type: 'str', key: 'hdkeypath', optional: true, help: 'Its path' },
  { type: 'hex', key: 'hdseedid', optional: true, help: 'Hash of the seed key' },
  { type: 'hex', key: 'hdmasterfingerprint', optional: true, help: 'Fingerprint of the root key' },
  { type: 'arr', key: 'labels', help: 'Its label, if it has one', inner: [{ type: 'str', help: 'The label' }] },
];
/** Members that ask the wallet and not the address. */
const OF_WALLET: ReadonlySet<string | undefined> = new Set(['ismine', 'solvable', 'desc', 'iswatchonly']);
const INSIDE = [...BEFORE_EMBEDDED.filter(({ key }) => !OF_WALLET.has(key)), ...AFTER_EMBEDDED.slice(0, 1)];
const embedded = (members: readonly ResultSpec[]): ResultSpec => ({
  type: 'obj',
  key: 'embedded',
  optional: true,
  help: 'The same about the address inside',
  inner: [{ type: 'elision', help: '', of: members }],
});

export const getaddressinfo: MethodSpec = {
  name: 'getaddressinfo',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: "Tells what the wallet knows of an address. Some members are there only when the address is in some way the wallet's.",
  args: [{ name: 'address', type: 'str', help: 'The address' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        ...BEFORE_EMBEDDED,
        // A script of a key in a witness script in P2SH is the deepest.
        embedded([...INSIDE, embedded(INSIDE)]),
        ...AFTER_EMBEDDED,
      ],
    },
  ],
  examples: [{ cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' }],
};
