import { arr, bool, elision, hex, num, obj, str, time } from '../../declare/parts.js';
import type { MethodSpec, ResultSpec } from '../../declare/types.js';

const BEFORE_EMBEDDED: readonly ResultSpec[] = [
  str('address', 'The address'),
  hex('scriptPubKey', 'Its output script'),
  bool('ismine', 'Whether the wallet can spend what is paid there'),
  bool('solvable', 'Whether the wallet knows all but private keys for spending'),
  str('desc?', 'A descriptor for it'),
  str('parent_desc?', 'Descriptor in the wallet to which the address belongs', { since: 22 }),
  bool('iswatchonly', 'Whether it is watched only'),
  bool('isscript?', 'Whether a script is behind it'),
  bool('iswitness', 'Whether it is a witness address'),
  num('witness_version?', 'The witness version'),
  hex('witness_program?', 'The witness program'),
  str('script?', 'Kind of the redeem or witness script'),
  hex('hex?', 'That script'),
  arr('pubkeys?', 'Its keys, when it is multisig', [hex('A key')]),
  num('sigsrequired?', 'Signatures it asks for'),
  hex('pubkey?', 'The public key'),
];
const AFTER_EMBEDDED: readonly ResultSpec[] = [
  bool('iscompressed?', 'Whether the public key is compressed'),
  bool('ischange', 'Whether it is taken for change'),
  time('timestamp?', 'When its key was made or from when it matters'),
  str('hdkeypath?', 'Its path'),
  hex('hdseedid?', 'Hash of the seed key'),
  hex('hdmasterfingerprint?', 'Fingerprint of the root key'),
  arr('labels', 'Its label, if it has one', [str('The label')]),
];
/** Members that ask the wallet and not the address. */
const OF_WALLET: ReadonlySet<string> = new Set(['ismine', 'solvable', 'desc', 'parent_desc', 'iswatchonly']);
const INSIDE = [...BEFORE_EMBEDDED.filter(({ name }) => !OF_WALLET.has(name)), ...AFTER_EMBEDDED.slice(0, 1)];
const embedded = (members: readonly ResultSpec[]): ResultSpec =>
  obj('embedded?', 'The same about the address inside', [elision({ of: members })]);

export const getaddressinfo: MethodSpec = {
  name: 'getaddressinfo',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: "Tells what the wallet knows of an address. Some members are there only when the address is in some way the wallet's.",
  args: [str('address', 'The address')],
  results: [
    obj([
      ...BEFORE_EMBEDDED,
      // A script of a key in a witness script in P2SH is the deepest.
      embedded([...INSIDE, embedded(INSIDE)]),
      ...AFTER_EMBEDDED,
    ]),
  ],
  examples: [{ cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' }],
};
