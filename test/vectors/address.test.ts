// Runs the address vectors: keys and addresses of all networks, segwit addresses, codecs, decoded scripts, payments.

import { decodeAddress, encodeAddress } from '../../src/address/address.js';
import type { AddressParams } from '../../src/address/address-params.js';
import { decodeBase58, encodeBase58 } from '../../src/address/base58.js';
import { decodeBech32, encodeBech32 } from '../../src/address/bech32.js';
import { decodeWif, encodeWif } from '../../src/address/wif.js';
import { minimalPush, scriptHashScript } from '../../src/consensus/script/build-script.js';
import { OP } from '../../src/consensus/script/opcodes.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { scriptAsm } from '../../src/policy/script-asm.js';
import { isUnspendable, solve } from '../../src/policy/script-type.js';
import { hex, unhex } from '../framework/hex.js';
import { rowSuite } from '../framework/vector-suite.js';

const crypto = createNativeCrypto();
const MAIN: AddressParams = { base58: { p2pkh: 0, p2sh: 5, wif: 128 }, bech32Hrp: 'bc' };
const TEST: AddressParams = { base58: { p2pkh: 111, p2sh: 196, wif: 239 }, bech32Hrp: 'tb' };
const REGTEST: AddressParams = { ...TEST, bech32Hrp: 'bcrt' };
const NETWORKS: Record<string, AddressParams> = { main: MAIN, test: TEST, testnet4: TEST, signet: TEST, regtest: REGTEST };
// Networks of the bitcoinjs rows.
const LITECOIN: AddressParams = { base58: { p2pkh: 48, p2sh: 50, wif: 176 }, bech32Hrp: 'ltc' };
const JS_NETWORKS: Record<string, AddressParams> = { bitcoin: MAIN, testnet: TEST, regtest: REGTEST, litecoin: LITECOIN };

const scriptOf = (text: string, params: AddressParams): string | null => {
  const decoded = decodeAddress(text, params);
  return 'error' in decoded ? null : hex(decoded.script);
};
const flipCase = (text: string): string =>
  [...text].map((char) => (char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase())).join('');

interface KeyIoRow {
  encoded: string;
  hex: string;
  chain: string;
  isPrivkey: boolean;
  isCompressed?: boolean;
  tryCaseFlip?: boolean;
}
rowSuite<KeyIoRow>('address/key_io_valid.json', 'both ways, on the right networks only', (row) => {
  const params = NETWORKS[row.chain];
  if (row.isPrivkey) {
    const key = decodeWif(row.encoded, params);
    if (key === null || hex(key.key) !== row.hex || key.compressed !== row.isCompressed) return `${row.encoded}: wrong key`;
    if (encodeWif(key, params) !== row.encoded) return `${row.encoded}: written differently`;
    return scriptOf(row.encoded, params) === null ? null : `${row.encoded}: an address too`;
  }
  if (scriptOf(row.encoded, params) !== row.hex) return `${row.encoded}: wrong script`;
  if (encodeAddress(unhex(row.hex), params) !== row.encoded) return `${row.encoded}: written differently`;
  if (decodeWif(row.encoded, params) !== null) return `${row.encoded}: a key too`;
  const flipped = scriptOf(flipCase(row.encoded), params);
  if (flipped !== (row.tryCaseFlip === true ? row.hex : null)) return `${row.encoded}: with other case ${flipped}`;
  for (const [name, other] of Object.entries(NETWORKS)) {
    const same = row.encoded.toLowerCase().startsWith(`${params.bech32Hrp}1`)
      ? other.bech32Hrp === params.bech32Hrp
      : other.base58.p2pkh === params.base58.p2pkh;
    if ((scriptOf(row.encoded, other) !== null) !== same) return `${row.encoded}: on ${name}`;
  }
  return null;
});

rowSuite<string>('address/key_io_invalid.json', 'nowhere', (text) => {
  for (const [name, params] of Object.entries(NETWORKS)) {
    if (scriptOf(text, params) !== null) return `${text}: address on ${name}`;
    if (decodeWif(text, params) !== null) return `${text}: key on ${name}`;
  }
  return null;
});

interface Base58Row {
  encoded: string;
  payloadHex: string;
  isPrivkey: boolean;
  isCompressed?: boolean;
  isTestnet: boolean;
  addrType?: 'pubkey' | 'script';
}
rowSuite<Base58Row>('address/base58_keys_valid.json', 'both ways', (row) => {
  const params = row.isTestnet ? TEST : MAIN;
  if (row.isPrivkey) {
    const key = decodeWif(row.encoded, params);
    if (key === null || hex(key.key) !== row.payloadHex || key.compressed !== row.isCompressed) return row.encoded;
    return encodeWif(key, params) === row.encoded ? null : row.encoded;
  }
  const decoded = decodeAddress(row.encoded, params);
  if ('error' in decoded) return `${row.encoded}: ${decoded.error}`;
  if (decoded.kind !== (row.addrType === 'pubkey' ? 'pubkeyhash' : 'scripthash')) return `${row.encoded}: ${decoded.kind}`;
  if (hex(decoded.payload) !== row.payloadHex) return `${row.encoded}: ${hex(decoded.payload)}`;
  return encodeAddress(decoded.script, params) === row.encoded ? null : `${row.encoded}: written differently`;
});

rowSuite<string>('address/base58_keys_invalid.json', 'nowhere', (text) => {
  for (const params of [MAIN, TEST]) if (scriptOf(text, params) !== null || decodeWif(text, params) !== null) return text;
  return null;
});

rowSuite<{ address: string; scriptPubKey?: string; valid: boolean }>('address/segwit_addresses.json', 'rules of BIP-0350', (row) => {
  const params = /^tb/i.test(row.address) ? TEST : MAIN;
  const script = scriptOf(row.address, params);
  if (!row.valid) return script === null ? null : `${row.address}: valid`;
  if (script !== row.scriptPubKey) return `${row.address}: ${script}`;
  return encodeAddress(unhex(script ?? ''), params) === row.address.toLowerCase() ? null : `${row.address}: written differently`;
});

rowSuite<{ encoding: 'bech32' | 'bech32m'; string: string; valid: boolean }>('encoding/bech32_strings.json', 'codec', (row) => {
  const decoded = decodeBech32(row.string);
  const valid = decoded?.encoding === row.encoding;
  if (valid !== row.valid) return `${row.string}: ${valid}`;
  if (decoded === null || !valid) return null;
  return encodeBech32(decoded.hrp, decoded.symbols, row.encoding) === row.string.toLowerCase()
    ? null
    : `${row.string}: written differently`;
});

rowSuite<[string, string]>('encoding/base58.json', 'codec', ([upper, text]) => {
  const bytes = upper.toLowerCase();
  if (encodeBase58(unhex(bytes)) !== text) return `${bytes}: ${encodeBase58(unhex(bytes))}`;
  const decoded = decodeBase58(text, bytes.length / 2);
  if (decoded === null || hex(decoded) !== bytes) return `${text}: decodes differently`;
  return bytes.length > 0 && decodeBase58(text, bytes.length / 2 - 1) !== null ? `${text}: limit not kept` : null;
});

interface DecodedScript {
  asm: string;
  type: string;
  address?: string;
  p2sh?: string;
}
rowSuite<{ script: string; decoded: DecodedScript }>('address/decodescript_core.json', 'asm, type, addresses', (row) => {
  const script = unhex(row.script);
  const { asm, type, address, p2sh } = row.decoded;
  if (scriptAsm(script) !== asm) return `${row.script}: ${scriptAsm(script)}`;
  if (solve(script).type !== type) return `${row.script}: ${solve(script).type}`;
  if (isUnspendable(script) !== row.script.startsWith('6a')) return `${row.script}: unspendable`;
  if ((encodeAddress(script, REGTEST) ?? undefined) !== address) return `${row.script}: ${encodeAddress(script, REGTEST)}`;
  if (p2sh === undefined) return null;
  const wrapped = encodeAddress(scriptHashScript(crypto.hash160(script)), REGTEST);
  return wrapped === p2sh ? null : `${row.script}: ${wrapped}`;
});

/** bitcoinjs asm to bytes: opcodes by name, everything else data in its shortest push. */
function fromAsm(asm: string): Uint8Array {
  const parts = asm.split(' ').map((word) => {
    const opcode = OP[word as keyof typeof OP];
    return opcode === undefined ? minimalPush(unhex(word)) : Uint8Array.of(opcode);
  });
  return Uint8Array.from(Buffer.concat(parts));
}

interface JsAddressRow {
  network: string;
  script: string;
  base58check?: string;
  bech32?: string;
}
rowSuite<JsAddressRow>('address/address_script_bitcoinjs.json', 'both ways', (row) => {
  const address = row.base58check ?? row.bech32 ?? '';
  const params = JS_NETWORKS[row.network];
  const script = fromAsm(row.script);
  if (scriptOf(address, params) !== hex(script)) return `${address}: ${scriptOf(address, params)}`;
  // Bech32 may stand in upper case, and is written in lower case.
  const written = row.base58check ?? address.toLowerCase();
  return encodeAddress(script, params) === written ? null : `${address}: ${encodeAddress(script, params)}`;
});

interface PaymentRow {
  type: string;
  arguments: { network?: string; output?: string };
  expected: Record<string, unknown> & {
    address?: string;
    output?: string;
    hash?: string;
    pubkey?: string;
    network?: string;
    pubkeys?: string[];
    m?: number;
  };
}
const TYPES: Record<string, string> = {
  p2pk: 'pubkey',
  embed: 'nulldata',
  p2pkh: 'pubkeyhash',
  p2sh: 'scripthash',
  p2wpkh: 'witness_v0_keyhash',
  p2wsh: 'witness_v0_scripthash',
  p2tr: 'witness_v1_taproot',
  p2ms: 'multisig',
};
rowSuite<PaymentRow>('address/payments_bitcoinjs.json', 'types, hashes and addresses of the outputs', (row) => {
  const all = { ...row.arguments, ...row.expected } as PaymentRow['expected'];
  if (all.output === undefined) return null;
  const script = fromAsm(all.output);
  const { type, solutions } = solve(script);
  if (type !== TYPES[row.type]) return `${all.output}: ${type}`;
  if (row.type === 'p2ms') {
    if (all.m !== undefined && solutions[0][0] !== all.m) return `${all.output}: ${solutions[0][0]}`;
    const keys = solutions.slice(1, -1).map(hex).join();
    return all.pubkeys === undefined || keys === all.pubkeys.join() ? null : `${all.output}: ${keys}`;
  }
  if (row.type === 'embed') return null;
  // For taproot `hash` is the merkle root, and the output holds the key.
  const payload = row.type === 'p2tr' || row.type === 'p2pk' ? all.pubkey : all.hash;
  if (payload !== undefined && hex(solutions[0]) !== payload) return `${all.output}: ${hex(solutions[0])}`;
  const params = JS_NETWORKS[all.network ?? 'bitcoin'];
  if (all.address === undefined) return null;
  if (encodeAddress(script, params) !== all.address) return `${all.output}: ${encodeAddress(script, params)}`;
  return scriptOf(all.address, params) === hex(script) ? null : `${all.address}: ${scriptOf(all.address, params)}`;
});

interface Bip67Row {
  keys: string[];
  sorted_keys: string[];
  script: string;
  address: string;
}
rowSuite<Bip67Row>('address/bip67_sorted_multisig.json', 'scripts of sorted keys', (row) => {
  const script = unhex(row.script);
  const { type, solutions } = solve(script);
  if (type !== 'multisig') return type;
  if (solutions.slice(1, -1).map(hex).join() !== row.sorted_keys.join()) return 'keys';
  const address = encodeAddress(scriptHashScript(crypto.hash160(script)), MAIN);
  const test = encodeAddress(scriptHashScript(crypto.hash160(script)), TEST);
  return address === row.address || test === row.address ? null : `${address}, ${test}`;
});
