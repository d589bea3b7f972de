// BIP-0032's vectors and bitcoinjs' additions: keys of paths with their texts, accounts of BIP-0049, 84 and 86, and
// keys to refuse.
import t from 'tap';
import { encodeAddress } from '../../src/address/address.js';
import {
  decodeExtendedKey,
  decodeExtendedSecret,
  encodeExtendedKey,
  encodeExtendedSecret,
} from '../../src/address/bip32/extended-codec.js';
import {
  derivePath,
  deriveSecretChild,
  deriveSecretPath,
  type ExtendedSecret,
  fingerprintOf,
  HARDENED,
  masterFromSeed,
} from '../../src/address/bip32/extended-key.js';
import type { Expansion } from '../../src/address/descriptor/expansion.js';
import type { KeyParams } from '../../src/address/key-params.js';
import { encodeWif } from '../../src/address/wif.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { descriptorContext, hashes, mustParse, scriptsOf, tools } from '../framework/descriptor-context.js';
import { hex, unhex } from '../framework/hex.js';
import { fileSuite, readJson, rowSuite } from '../framework/vector-suite.js';

const MAIN = chainParams('main');
const TEST = chainParams('test');
/** Other coins and other prefixes of the same format. */
const prefixes = (base: KeyParams, base58: Partial<KeyParams['base58']>): KeyParams => ({ ...base, base58: { ...base.base58, ...base58 } });
const LITECOIN = prefixes(MAIN, { wif: 176, xpub: 0x019da462, xprv: 0x019d9cfe });
const ZPUB = prefixes(MAIN, { xpub: 0x04b24746, xprv: 0x04b2430c });
const UPUB = prefixes(TEST, { xpub: 0x044a5262, xprv: 0x044a4e28 });

/** m/0'/1 as numbers. */
function pathOf(text: string): number[] {
  const steps = text.split('/').slice(1);
  return steps.map((step) => (step.endsWith("'") ? Number(step.slice(0, -1)) + HARDENED : Number(step)));
}

function derived(seed: string, path: string): ExtendedSecret {
  const master = masterFromSeed(unhex(seed), tools);
  const key = master && deriveSecretPath(master, pathOf(path), tools);
  if (!key) throw new Error(`no key at ${path}`);
  return key;
}

rowSuite<{ seed: string; path: string; xpub: string; xprv: string }>('bip32/bip32_derivation.json', 'keys of paths', (row) => {
  const key = derived(row.seed, row.path);
  if (encodeExtendedSecret(key, MAIN, tools) !== row.xprv) return `${row.path}: xprv`;
  if (encodeExtendedKey(key.key, MAIN, tools) !== row.xpub) return `${row.path}: xpub`;
  const read = decodeExtendedSecret(row.xprv, MAIN, tools);
  if (read === null || encodeExtendedSecret(read, MAIN, tools) !== row.xprv) return `${row.path}: xprv read`;
  const publicKey = decodeExtendedKey(row.xpub, MAIN, tools);
  if (publicKey === null || encodeExtendedKey(publicKey, MAIN, tools) !== row.xpub) return `${row.path}: xpub read`;
  const last = pathOf(row.path).at(-1);
  if (last === undefined || last >= HARDENED) return null;
  const parent = derived(row.seed, row.path.slice(0, row.path.lastIndexOf('/')));
  const child = derivePath(parent.key, [last], tools);
  return child !== null && encodeExtendedKey(child, MAIN, tools) === row.xpub ? null : `${row.path}: without the secret`;
});

interface MoreKey {
  wif: string;
  pubKey: string;
  privKey: string;
  chainCode: string;
  base58: string;
  base58Priv: string;
  identifier: string;
  fingerprint: string;
}
interface MoreRow {
  network: 'bitcoin' | 'testnet' | 'litecoin';
  /** Without a seed the private key is where it begins. */
  master: MoreKey & { seed?: string };
  children: (MoreKey & { path: string; m?: number; hardened?: boolean; depth: number; index: number })[];
}

rowSuite<MoreRow>('bip32/bip32_more.json', 'keys with all their forms', ({ network, master, children }) => {
  const params = { bitcoin: MAIN, testnet: TEST, litecoin: LITECOIN }[network];
  const matches = ({ key, secret }: ExtendedSecret, want: MoreKey): boolean =>
    encodeWif({ key: secret, compressed: true }, params) === want.wif &&
    hex(key.publicKey) === want.pubKey &&
    hex(secret) === want.privKey &&
    hex(key.chainCode) === want.chainCode &&
    encodeExtendedKey(key, params, tools) === want.base58 &&
    encodeExtendedSecret({ key, secret }, params, tools) === want.base58Priv &&
    hex(hashes.hash160(key.publicKey)) === want.identifier &&
    hex(fingerprintOf(key.publicKey, hashes)) === want.fingerprint;
  const { seed } = master;
  const root = seed === undefined ? decodeExtendedSecret(master.base58Priv, params, tools) : masterFromSeed(unhex(seed), tools);
  if (root === null || !matches(root, master)) return 'master';
  let at: ExtendedSecret | null = root;
  for (const child of children) {
    at =
      child.m === undefined
        ? deriveSecretPath(root, pathOf(child.path), tools)
        : deriveSecretChild(at, child.m + (child.hardened ? HARDENED : 0), tools);
    if (at === null || !matches(at, child)) return child.path;
    if (at.key.depth !== child.depth || at.key.childNumber !== child.index) return `${child.path}: place`;
  }
  return null;
});

rowSuite<{ key: string; reason: string }>('bip32/invalid_extended_keys.json', 'keys to refuse', ({ key, reason }) => {
  for (const params of [MAIN, TEST]) {
    if (decodeExtendedKey(key, params, tools) !== null || decodeExtendedSecret(key, params, tools) !== null) return reason;
  }
  return null;
});

fileSuite('bip32/bip49_84_86_accounts.json', async (t) => {
  type Row = Record<string, string>;
  const { bip49, bip84, bip86 } = readJson<Record<'bip49' | 'bip84' | 'bip86', Row[]>>('bip32/bip49_84_86_accounts.json');
  const first = (text: string): string => text.split(' ')[0];
  const read = (text: string, params: KeyParams): ExtendedSecret => {
    const key = decodeExtendedSecret(first(text), params, tools);
    if (key === null) throw new Error(text);
    return key;
  };
  const follow = (from: ExtendedSecret, path: string): ExtendedSecret => deriveSecretPath(from, pathOf(path), tools) as ExtendedSecret;

  const root49 = read(bip49[0].masterseed, UPUB);
  const account = follow(root49, bip49[1].path);
  t.equal(encodeExtendedSecret(account, UPUB, tools), first(bip49[1].account0Xpriv));
  t.equal(encodeExtendedKey(account.key, UPUB, tools), first(bip49[1].account0Xpub));
  const receiving = follow(root49, bip49[2].path);
  t.equal(encodeWif({ key: receiving.secret, compressed: true }, TEST), bip49[2].account0recvPrivateKey);
  t.equal(hex(receiving.key.publicKey), bip49[2].account0recvPublicKeyHex);
  const wrapped = mustParse(`sh(wpkh(${hex(receiving.key.publicKey)}))`, descriptorContext('master', 'test'));
  t.equal(encodeAddress(unhex(scriptsOf(wrapped)?.[0] as string), TEST), '2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2');

  const root84 = read(bip84[0].rootpriv, ZPUB);
  t.equal(encodeExtendedKey(root84.key, ZPUB, tools), bip84[0].rootpub);
  for (const row of bip84.slice(1)) {
    const key = follow(root84, row.path);
    if (row.xpub !== undefined) t.equal(encodeExtendedKey(key.key, ZPUB, tools), row.xpub, row.name);
    if (row.xpriv !== undefined) t.equal(encodeExtendedSecret(key, ZPUB, tools), row.xpriv, row.name);
    if (row.address === undefined) continue;
    t.equal(encodeWif({ key: key.secret, compressed: true }, MAIN), row.privkey, row.name);
    t.equal(hex(key.key.publicKey), row.pubkey, row.name);
    t.equal(encodeAddress(unhex(scriptsOf(mustParse(`wpkh(${row.pubkey})`))?.[0] as string), MAIN), row.address, row.name);
  }

  const root86 = bip86[0].rootpriv;
  for (const row of bip86.slice(1)) {
    const key = follow(read(root86, MAIN), row.path);
    t.equal(encodeExtendedKey(key.key, MAIN, tools), row.xpub, row.name);
    t.equal(encodeExtendedSecret(key, MAIN, tools), row.xprv, row.name);
    if (row.address === undefined) continue;
    const parsed = mustParse(`tr(${root86}/${row.path.slice(2)})`);
    const { taproot, scripts } = parsed.descriptors[0].expand(0, { secrets: parsed.secrets }) as Expansion;
    t.equal(hex(taproot?.internalKey as Uint8Array), row.internal_key, row.name);
    t.equal(hex(taproot?.outputKey as Uint8Array), row.output_key, row.name);
    t.equal(hex(scripts[0]), row.scriptPubKey, row.name);
    t.equal(encodeAddress(scripts[0], MAIN), row.address, row.name);
  }
});

t.test('refuses to derive past the deepest level', async (t) => {
  const master = masterFromSeed(new Uint8Array(16), tools) as ExtendedSecret;
  const deepest = { ...master, key: { ...master.key, depth: 255 } };
  t.equal(deriveSecretChild(deepest, 0, tools), null);
  t.equal(derivePath(deepest.key, [0], tools), null);
  t.equal(derivePath(master.key, [HARDENED], tools), null, 'a hardened step needs the secret');
});
