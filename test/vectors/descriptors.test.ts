// Every file of the descriptor vectors: BIP-0380 to BIP-0390, bcoin's collection (made with Core's getdescriptorinfo),
// miniscript.
import { encodeAddress, encodePublicKeyHash } from '../../src/address/address.js';
import type { DescriptorContext } from '../../src/address/descriptor/context.js';
import { parseDescriptor } from '../../src/address/descriptor/parse.js';
import { compileMiniscript } from '../../src/address/miniscript/compile.js';
import { decodeMiniscript } from '../../src/address/miniscript/from-script.js';
import { parseMiniscript } from '../../src/address/miniscript/parse.js';
import { isValidTopLevel } from '../../src/address/miniscript/sanity.js';
import { miniscriptText } from '../../src/address/miniscript/text.js';
import { has } from '../../src/address/miniscript/types.js';
import { solve } from '../../src/policy/script-type.js';
import { descriptorContext, hashes, mustParse, scriptsOf } from '../framework/descriptor-context.js';
import { hex, unhex } from '../framework/hex.js';
import { rowSuite } from '../framework/vector-suite.js';

const NETWORKS = { main: 'main', testnet: 'test', regtest: 'regtest' } as const;
type Network = keyof typeof NETWORKS;
const contextOf = (network: Network | undefined): DescriptorContext => descriptorContext('master', NETWORKS[network ?? 'main']);
const differs = (got: unknown, want: unknown): string | null =>
  JSON.stringify(got) === JSON.stringify(want) ? null : `${JSON.stringify(got)} instead of ${JSON.stringify(want)}`;

/** Keys of test networks say so themselves where a row names no network. */
const parsedAnywhere = (text: string, network?: Network): ReturnType<typeof mustParse> => {
  const main = parseDescriptor(text, contextOf(network));
  return network === undefined && 'error' in main ? mustParse(text, contextOf('testnet')) : mustParse(text, contextOf(network));
};

interface ValidRow {
  input: string;
  descriptor: string;
  checksum: string;
  isrange: boolean;
  issolvable: boolean;
  hasprivatekeys: boolean;
  network?: Network;
}
rowSuite<ValidRow>('descriptors/valid.json', 'what getdescriptorinfo says', (row) => {
  const { descriptors, checksum, secrets } = parsedAnywhere(row.input, row.network);
  const [first] = descriptors;
  const got = [first.toString(), checksum, first.isRange, first.isSolvable, secrets.size > 0];
  return differs(got, [row.descriptor, row.checksum, row.isrange, row.issolvable, row.hasprivatekeys]);
});

interface AddressRow {
  input: string;
  range?: number | [number, number];
  addresses?: string[];
  error?: string;
  network?: Network;
}
rowSuite<AddressRow>('descriptors/addresses.json', 'what deriveaddresses says', (row) => {
  const context = contextOf(row.network);
  const parsed = mustParse(row.input, context);
  const got: (string | null)[] = [];
  const [begin, end] = Array.isArray(row.range) ? row.range : [0, row.range ?? 0];
  const count = row.range === undefined && parsed.descriptors[0].isRange ? (row.addresses?.length ?? 1) - 1 : end;
  for (let index = begin; index <= count; index++) {
    const scripts = scriptsOf(parsed, index);
    if (scripts === null) return row.error === undefined ? 'not derived' : null;
    for (const script of scripts) {
      const { type, solutions } = solve(unhex(script));
      got.push(
        type === 'pubkey'
          ? encodePublicKeyHash(hashes.hash160(solutions[0]), context.params)
          : encodeAddress(unhex(script), context.params),
      );
    }
  }
  if (row.error !== undefined) return got.every((address) => address === null) ? null : `${got} instead of an error`;
  return differs(got.slice(0, row.addresses?.length), row.addresses);
});

rowSuite<{ input: string; expected?: string; error?: string; network?: Network }>(
  'descriptors/private_to_string.json',
  'private texts',
  (row) => {
    const { descriptors, secrets } = parsedAnywhere(row.input, row.network);
    return differs(descriptors[0].privateText(secrets), row.expected ?? null);
  },
);

rowSuite<{ input: string; network?: Network; requirechecksum?: boolean }>('descriptors/invalid.json', 'texts to refuse', (row) => {
  const parsed = parseDescriptor(row.input, contextOf(row.network), { requireChecksum: row.requirechecksum ?? false });
  return 'error' in parsed ? null : `${row.input} is accepted`;
});

rowSuite<{ descriptor: string }>('descriptors/bip381_390_invalid.json', 'texts to refuse', ({ descriptor }) => {
  return 'error' in parseDescriptor(descriptor, contextOf('main')) ? null : `${descriptor} is accepted`;
});

rowSuite<{ descriptor: string; scripts: string[] }>('descriptors/bip381_390_scripts.json', 'scripts', ({ descriptor, scripts }) => {
  const parsed = mustParse(descriptor);
  const got: string[] = [];
  const indices = parsed.descriptors[0].isRange ? [0, 1, 2] : [0];
  for (const index of indices) got.push(...(scriptsOf(parsed, index) ?? ['none']));
  return scripts.length === 0 ? null : differs(got.slice(0, scripts.length), scripts);
});

rowSuite<{ kind: string; input: string; valid: boolean }>('descriptors/bip380_checksum_and_keys.json', 'checksums and keys', (row) => {
  const text = row.kind === 'checksum' ? row.input : `pk(${row.input})`;
  return differs(!('error' in parseDescriptor(text, contextOf('main'))), row.valid);
});

rowSuite<{ descriptor: string; expansions: string[] }>('descriptors/bip389_multipath.json', 'multipath', (row) => {
  const { descriptors, secrets } = parsedAnywhere(row.descriptor);
  // Descriptors that bring private keys are expanded with them.
  const texts = descriptors.map((descriptor) => (secrets.size > 0 ? descriptor.privateText(secrets) : String(descriptor)));
  return differs(
    texts.map((text) => text?.split('#')[0]),
    row.expansions.map((text) => text.split('#')[0]),
  );
});

interface MiniscriptRow {
  miniscript: string;
  wshScript: string | null;
  tapScript: string | null;
  validWsh: boolean;
  validTapscript: boolean;
  properties: string[];
}
rowSuite<MiniscriptRow>('descriptors/miniscript.json', 'validity, scripts, properties', (row) => {
  for (const context of ['wsh', 'tapscript'] as const) {
    const inLeaf = context === 'tapscript';
    const keys: string[] = [];
    const node = parseMiniscript(row.miniscript, context, (key) => keys.push(key) - 1);
    const valid = node !== null && isValidTopLevel(node, context);
    if (valid !== (inLeaf ? row.validTapscript : row.validWsh)) return `${context}: valid is ${valid}`;
    if (node === null || !valid) continue;
    const written = keys.map((key) => unhex(inLeaf ? key.slice(2) : key));
    const script = hex(compileMiniscript(node, { keys: written, hashes }));
    const wanted = inLeaf ? row.tapScript : row.wshScript;
    if (wanted !== null && script !== wanted) return `${context}: ${script}`;
    if (script.length !== 2 * node.limits.size) return `${context}: size ${node.limits.size}`;
    const properties = { NONMAL: has(node.type, 'm'), NEEDSIG: has(node.type, 's'), TIMELOCKMIX: !has(node.type, 'k') };
    for (const [name, is] of Object.entries(properties)) {
      if (is !== row.properties.includes(name)) return `${context}: ${name} is ${is}`;
    }
    const keyOfHash = (hash: Uint8Array) => written.find((key) => hex(hashes.hash160(key)) === hex(hash)) ?? null;
    const decoded = decodeMiniscript(unhex(script), context, keyOfHash);
    if (decoded === null) return `${context}: is not found in its script`;
    if (hex(compileMiniscript(decoded.tree, { keys: decoded.keys, hashes })) !== script) return `${context}: another one is found`;
    if (decoded.tree.type !== node.type) return `${context}: one of another type is found`;
    const text = miniscriptText(node, (place) => keys[place]);
    const again = parseMiniscript(text, context, (key) => keys.indexOf(key));
    if (again === null || miniscriptText(again, (place) => keys[place]) !== text) return `${context}: text ${text}`;
  }
  return null;
});
