// Describes an address, what the wallet knows about it, and keys and scripts behind it. Members are in Core 0.21's
// order; embedded scripts recurse as in DescribeWalletAddressVisitor.

import { type DecodedAddress, decodeAddress, encodeAddress, encodePublicKeyHash } from '../../../address/address.js';
import { formatPath, type HardenedMark } from '../../../address/bip32/key-path.js';
import { type Compat, follows, only, shows } from '../../../policy/compat.js';
import { solve } from '../../../policy/script-type.js';
import type { SigningProvider } from '../../../signing/index.js';
import { OWNERSHIP, type Wallet } from '../../../wallet/index.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, elision, hex, num, obj, str, time } from '../../declare/parts.js';
import type { ResultSpec } from '../../declare/types.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesHex, hashHex } from '../../render/hex.js';
import { describeScript, normalText } from '../../wallet/describe.js';
import { KnownAnswers } from '../../wallet/known-answers.js';
import { walletOf } from '../../wallet/select.js';
import { encodeJson } from '../../wire/json-write.js';
import type { JsonResult } from '../../wire/values.js';

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

export const spec = declare({
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

type Members = Record<string, JsonResult>;

/**
 * Returns the members about the type of address. Taproot counts as a script since release 22. An anchor counts as a
 * script without a witness program since release 28.
 */
function kindMembers({ kind, witnessVersion, payload }: DecodedAddress, compat: Compat): Members {
  const program = (): Members => ({ witness_version: witnessVersion, witness_program: bytesHex(payload) });
  switch (kind) {
    case 'pubkeyhash':
      return { isscript: false, iswitness: false };
    case 'scripthash':
      return { isscript: true, iswitness: false };
    case 'witness_v0_keyhash':
      return { isscript: false, iswitness: true, ...program() };
    case 'witness_v0_scripthash':
      return { isscript: true, iswitness: true, ...program() };
    case 'witness_v1_taproot':
      return { ...(follows(compat, 22) ? { isscript: true } : {}), iswitness: true, ...program() };
    case 'anchor':
      return follows(compat, 28) ? { isscript: true, iswitness: true } : { iswitness: true, ...program() };
    default:
      return { iswitness: true, ...program() };
  }
}

/** Returns the members about the key or script behind an address, as far as the wallet knows it. */
function knownMembers({ kind, payload }: DecodedAddress, provider: SigningProvider | undefined, ctx: WalletContext): Members {
  if (provider === undefined) return {};
  switch (kind) {
    case 'pubkeyhash': {
      const key = provider.publicKey(payload);
      return key ? { pubkey: bytesHex(key), iscompressed: key.length === 33 } : {};
    }
    case 'witness_v0_keyhash': {
      const key = provider.publicKey(payload);
      return key ? { pubkey: bytesHex(key) } : {};
    }
    case 'scripthash': {
      const script = provider.script(payload);
      return script ? scriptMembers(script, provider, ctx) : {};
    }
    case 'witness_v0_scripthash': {
      const script = provider.script(ctx.crypto.ripemd160(payload));
      return script ? scriptMembers(script, provider, ctx) : {};
    }
    default:
      return {};
  }
}

function scriptMembers(script: Uint8Array, provider: SigningProvider, ctx: WalletContext): Members {
  const { type, solutions } = solve(script);
  const out: Members = { script: type, hex: bytesHex(script) };
  // Up to release 21, a bare key is shown as its P2PKH address.
  const address =
    type === 'pubkey' && !follows(ctx.compat, 22)
      ? encodePublicKeyHash(ctx.crypto.hash160(solutions[0]), ctx.params, ctx.crypto)
      : encodeAddress(script, ctx.params, ctx.crypto);
  if (address !== null) {
    const inner = decodeAddress(address, ctx.params, ctx.crypto) as DecodedAddress;
    const embedded: Members = {
      ...kindMembers(inner, ctx.compat),
      ...knownMembers(inner, provider, ctx),
      address,
      scriptPubKey: bytesHex(script),
    };
    if ('pubkey' in embedded) out.pubkey = embedded.pubkey;
    out.embedded = embedded;
  } else if (type === 'multisig') {
    out.sigsrequired = solutions[0][0];
    out.pubkeys = solutions.slice(1, -1).map(bytesHex);
  }
  return out;
}

/** Mark of hardened steps: `h` with -compat=31, otherwise `'`, because clients of Core 0.21.1 compare these members. */
const markOf = ({ compat }: WalletContext): HardenedMark => (only(compat, 26) ? 'h' : "'");

/** Cached answers to getaddressinfo: about 6 MB per wallet. */
const answers = /* @__PURE__ */ new KnownAnswers(8192, 1024);

export const getaddressinfo: WalletRun<typeof spec> = (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const { address: text } = params;
  return answers.get(wallet, text) ?? answers.storeAnswer(wallet, text, encodeJson(describeAddress(ctx, wallet, text)));
};

/** Returns the members of the reply. @throws RpcError if the text is no address */
function describeAddress(ctx: WalletContext, wallet: Wallet, text: string): Members {
  const decoded = decodeAddress(text, ctx.params, ctx.crypto);
  if ('error' in decoded) {
    return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, follows(ctx.compat, 22) ? decoded.error : 'Invalid address');
  }
  const { script } = decoded;
  const provider = wallet.keys.provider(script);
  const mine = wallet.keys.isMine(script);
  const desc = describeScript({ ...ctx, descriptors: { ...ctx.descriptors, inferredMark: markOf(ctx) } }, script, provider);
  const out: Members = {
    address: decoded.witnessVersion < 0 ? text.trim() : text.toLowerCase(),
    scriptPubKey: bytesHex(script),
    ismine: mine === OWNERSHIP.SPENDABLE || (mine === OWNERSHIP.WATCH && only(ctx.compat, 30)),
    solvable: desc !== null,
  };
  if (desc !== null) out.desc = desc;
  const place = shows(ctx.compat, { since: 22 }) ? wallet.descriptors?.locate(script) : undefined;
  if (place) out.parent_desc = normalText(wallet, place.tracked);
  out.iswatchonly = mine === OWNERSHIP.WATCH && shows(ctx.compat, { until: 30 });
  Object.assign(out, kindMembers(decoded, ctx.compat), knownMembers(decoded, provider, ctx));
  const label = wallet.book.label(script);
  out.ischange = mine !== OWNERSHIP.NO && label === undefined;
  const metadata = provider && wallet.keys.metadata(script);
  if (metadata) {
    out.timestamp = metadata.time;
    if (metadata.origin) {
      out.hdkeypath = `m${formatPath(metadata.origin.path, wallet.descriptors ? markOf(ctx) : "'")}`;
      out.hdseedid = metadata.seedId ? hashHex(metadata.seedId) : '0'.repeat(40);
      out.hdmasterfingerprint = bytesHex(metadata.origin.fingerprint);
    }
  }
  out.labels = label === undefined ? [] : [label];
  return out;
}
