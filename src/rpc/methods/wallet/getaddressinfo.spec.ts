import { declare } from '../../declare/parameters.js';
import { arr, bool, elision, hex, num, obj, str, time } from '../../declare/parts.js';
import type { ResultSpec } from '../../declare/types.js';

const BEFORE_EMBEDDED: readonly ResultSpec[] = [
  str('address', 'The address'),
  hex('scriptPubKey', 'The output script'),
  bool('ismine', 'Whether the wallet can spend coins of this address'),
  bool('solvable', 'Whether the wallet knows everything except private keys to spend coins of this address'),
  str('desc?', 'A descriptor of the output script'),
  str('parent_desc?', 'Descriptor in the wallet to which the address belongs', { since: 22 }),
  bool('iswatchonly', 'Whether the address is watch-only'),
  bool('isscript?', 'Whether the address is of a script'),
  bool('iswitness', 'Whether the address is a witness address'),
  num('witness_version?', 'The witness version'),
  hex('witness_program?', 'The witness program'),
  str('script?', 'Type of the redeem or witness script'),
  hex('hex?', 'The redeem or witness script'),
  arr('pubkeys?', 'Public keys, only for multisig', [hex('A key')]),
  num('sigsrequired?', 'Number of required signatures, only for multisig'),
  hex('pubkey?', 'The public key'),
];
const AFTER_EMBEDDED: readonly ResultSpec[] = [
  bool('iscompressed?', 'Whether the public key is compressed'),
  bool('ischange', 'Whether the address is used for change'),
  time('timestamp?', 'Creation time of the key, or time from which on payments are possible'),
  str('hdkeypath?', 'Derivation path'),
  hex('hdseedid?', 'Hash of the seed key'),
  hex('hdmasterfingerprint?', 'Fingerprint of the root key'),
  arr('labels', 'Labels of the address', [str('The label')]),
];
/** Members that depend on the wallet, not only on the address. */
const OF_WALLET: ReadonlySet<string> = new Set(['ismine', 'solvable', 'desc', 'parent_desc', 'iswatchonly']);
const INSIDE = [...BEFORE_EMBEDDED.filter(({ name }) => !OF_WALLET.has(name)), ...AFTER_EMBEDDED.slice(0, 1)];
const embedded = (members: readonly ResultSpec[]): ResultSpec =>
  obj('embedded?', 'The same data about the embedded address', [elision({ of: members })]);

export const getaddressinfo = declare({
  name: 'getaddressinfo',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  repeatable: true,
  description: 'Returns what the wallet knows about an address. Some members are present only if the address is related to the\nwallet.',
  args: [str('address', 'The address')],
  results: [
    obj([
      ...BEFORE_EMBEDDED,
      // The deepest nesting is a script of a key in a witness script in P2SH.
      embedded([...INSIDE, embedded(INSIDE)]),
      ...AFTER_EMBEDDED,
    ]),
  ],
  examples: [{ cli: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"', rpc: '"bc1q09vm5lfy0j5reeulh4x5752q25uqqvz34hufdl"' }],
});
