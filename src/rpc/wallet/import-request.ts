// Parses and checks one request of importmulti: what to import, and the warnings. It changes nothing. There are two
// kinds: scripts with their keys and inner scripts, and descriptors. Core 0.21: ProcessImportLegacy, RecurseImportData,
// ProcessImportDescriptor.

import { decodeAddress } from '../../address/address.js';
import type { Expansion } from '../../address/descriptor/expansion.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import type { KeyPair } from '../../address/descriptor/secrets.js';
import { equalBytes, hashKey } from '../../consensus/bytes/hex.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { solve } from '../../policy/script-type.js';
import type { KeyOrigin } from '../../signing/index.js';
import { destinationOf, type Wallet } from '../../wallet/index.js';
import { asArray, asBool, asString, hexBytes } from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { privateKeyOf } from '../node/private-key.js';
import { asRange } from '../range.js';
import { bytesHex } from '../render/hex.js';
import { JsonObject, type JsonValue } from '../wire/values.js';

/** The objects that a request imports. The keys of maps are hashKey(HASH160). */
export interface ImportData {
  /** Output scripts. */
  readonly targets: Uint8Array[];
  /** Redeem and witness scripts, and native witness programs that the wallet must know as scripts. */
  readonly scripts: Map<string, Uint8Array>;
  readonly publicKeys: Map<string, Uint8Array>;
  /** Public keys in the order in which they enter the key pool. */
  readonly ordered: Uint8Array[];
  /** Index in `ordered` of the first key for change, whatever the request says; Infinity: none. */
  changeFrom: number;
  readonly secrets: Map<string, KeyPair>;
  readonly origins: { publicKey: Uint8Array; origin: KeyOrigin }[];
  /** True if the request contains keys or inner scripts that match its output scripts. */
  hasSolvingData: boolean;
  readonly warnings: string[];
}

export const emptyImport = (): ImportData => ({
  targets: [],
  scripts: new Map(),
  publicKeys: new Map(),
  ordered: [],
  changeFrom: Number.POSITIVE_INFINITY,
  secrets: new Map(),
  origins: [],
  hasSolvingData: false,
  warnings: [],
});

/** Overwrites a request's private keys. */
export function wipeImport(data: ImportData): void {
  for (const { secret } of data.secrets.values()) secret.fill(0);
}

const refuse = (message: string): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, message);
const MISSING_KEYS =
  'Some private keys are missing, outputs will be considered watchonly. If this is intentional, specify the watchonly flag.';
const ALL_KEYS =
  'All private keys are provided, outputs will be considered spendable. If this is intentional, do not specify the watchonly flag.';

/** Adds a warning if `watchonly` contradicts the given private keys. */
export function warnOfKeys({ warnings }: Pick<ImportData, 'warnings'>, watchOnly: boolean, spendable: boolean): void {
  if (!watchOnly && !spendable) warnings.push(MISSING_KEYS);
  if (watchOnly && spendable) warnings.push(ALL_KEYS);
}

/** Reads a member with `read`, also if its value is null or of a wrong type. Returns `otherwise` if the member does not exist. */
export const optional = <T>(data: JsonObject, name: string, read: (value: JsonValue | undefined) => T, otherwise: T): T =>
  data.has(name) ? read(data.get(name)) : otherwise;

/** Members that both kinds of requests have. */
export interface ImportHead {
  readonly internal: boolean;
  readonly label: string;
  readonly addToPool: boolean;
  /** True if the request has `scriptPubKey`; otherwise it has `desc`. */
  readonly hasScript: boolean;
}

/** Parses the members that both kinds have. @throws RpcError */
export function readImportHead(wallet: Wallet, request: JsonObject): ImportHead {
  const internal = optional(request, 'internal', asBool, false);
  if (internal && request.has('label')) fail(RPC_CODE.INVALID_PARAMETER, 'Internal addresses should not have a label');
  const label = optional(request, 'label', asString, '');
  const addToPool = optional(request, 'keypool', asBool, false);
  if (addToPool && !wallet.record.privateKeysDisabled) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Keys can only be imported to the keypool when private keys are disabled');
  }
  const hasScript = request.has('scriptPubKey');
  const hasDescriptor = request.has('desc');
  if (hasScript && hasDescriptor) fail(RPC_CODE.INVALID_PARAMETER, 'Both a descriptor and a scriptPubKey should not be provided.');
  if (!hasScript && !hasDescriptor) fail(RPC_CODE.INVALID_PARAMETER, 'Either a descriptor or scriptPubKey must be provided.');
  return { internal, label, addToPool, hasScript };
}

/** Reads a private key. @throws RpcError */
export function readSecret(ctx: WalletContext, value: JsonValue | undefined, call: CallInfo): KeyPair {
  const wif = privateKeyOf(value, ctx, call) ?? refuse('Invalid private key encoding');
  const publicKey = ctx.descriptors.keys.publicKey(wif.key, wif.compressed);
  if (publicKey === null) {
    wif.key.fill(0);
    return refuse('Invalid private key encoding');
  }
  return { publicKey, secret: wif.key };
}

/** Adds a private key, or overwrites it if the request has one with this hash already. */
function addSecret(data: ImportData, id: string, key: KeyPair): void {
  if (data.secrets.has(id)) key.secret.fill(0);
  else data.secrets.set(id, key);
}

// Requests with scripts

/** State of the walk through a script and its inner scripts. */
interface Walk {
  redeemScript: Uint8Array | undefined;
  witnessScript: Uint8Array | undefined;
  /** Keys that the script contains; true: the key is needed to solve the script. */
  readonly used: Map<string, boolean>;
  readonly scripts: Map<string, Uint8Array>;
}

type Place = 'top' | 'p2sh' | 'wsh';

/**
 * Walks through a script and its inner scripts.
 * @returns why the script cannot be solved; empty if it can
 * @throws RpcError for nestings that are not possible
 */
function walkScript(ctx: WalletContext, script: Uint8Array, walk: Walk, place: Place): string {
  const { crypto } = ctx;
  const { type, solutions } = solve(script);
  const addScript = (inner: Uint8Array): void => void walk.scripts.set(hashKey(crypto.hash160(inner)), inner);
  const use = (id: Uint8Array, needed: boolean): void => {
    const key = hashKey(id);
    if (needed || !walk.used.has(key)) walk.used.set(key, needed);
  };
  switch (type) {
    case 'pubkey':
      use(crypto.hash160(solutions[0]), false);
      return '';
    case 'pubkeyhash':
      use(solutions[0], true);
      return '';
    case 'multisig':
      for (const key of solutions.slice(1, -1)) use(crypto.hash160(key), false);
      return '';
    case 'scripthash': {
      if (place === 'p2sh') return refuse('Trying to nest P2SH inside another P2SH');
      if (place === 'wsh') return refuse('Trying to nest P2SH inside a P2WSH');
      const inner = walk.redeemScript;
      walk.redeemScript = undefined;
      if (inner === undefined) return 'missing redeemscript';
      if (!equalBytes(crypto.hash160(inner), solutions[0])) return 'redeemScript does not match the scriptPubKey';
      addScript(inner);
      return walkScript(ctx, inner, walk, 'p2sh');
    }
    case 'witness_v0_keyhash':
      if (place === 'wsh') return refuse('Trying to nest P2WPKH inside P2WSH');
      use(solutions[0], true);
      if (place === 'top') addScript(script);
      return '';
    case 'witness_v0_scripthash': {
      if (place === 'wsh') return refuse('Trying to nest P2WSH inside another P2WSH');
      const inner = walk.witnessScript;
      walk.witnessScript = undefined;
      if (inner === undefined) return 'missing witnessscript';
      if (!equalBytes(crypto.sha256(inner), solutions[0])) return 'witnessScript does not match the scriptPubKey or redeemScript';
      if (place === 'top') addScript(script);
      addScript(inner);
      return walkScript(ctx, inner, walk, 'wsh');
    }
    case 'nulldata':
      return 'unspendable script';
    default:
      return 'unrecognized script';
  }
}

function targetScript(ctx: WalletContext, value: JsonValue | undefined, output: string, internal: boolean): Uint8Array {
  if (typeof value !== 'string') {
    const decoded = decodeAddress(output, ctx.params, ctx.crypto);
    return 'error' in decoded ? refuse(`Invalid address "${output}"`) : decoded.script;
  }
  const script = hexBytes(output) ?? refuse(`Invalid scriptPubKey "${output}"`);
  if (!internal && destinationOf(script, ctx.crypto) === null) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Internal must be set to true for nonstandard scriptPubKey imports.');
  }
  return script;
}

/** Parses a request with `scriptPubKey` into `data`. @throws RpcError */
export function fillFromScript(ctx: WalletContext, request: JsonObject, call: CallInfo, data: ImportData): void {
  const target = request.get('scriptPubKey');
  const isAddress = target instanceof JsonObject && target.has('address');
  if (typeof target !== 'string' && !isAddress) {
    fail(RPC_CODE.INVALID_PARAMETER, 'scriptPubKey must be string with script or JSON with address string');
  }
  const output = asString(isAddress ? target.get('address') : target);
  const redeemHex = optional(request, 'redeemscript', asString, '');
  const witnessHex = optional(request, 'witnessscript', asString, '');
  const publicKeys = optional(request, 'pubkeys', asArray, []);
  const secrets = optional(request, 'keys', asArray, []);
  const internal = optional(request, 'internal', asBool, false);
  const watchOnly = optional(request, 'watchonly', asBool, false);
  if (request.has('range')) fail(RPC_CODE.INVALID_PARAMETER, 'Range should not be specified for a non-descriptor import');

  const script = targetScript(ctx, target, output, internal);
  data.targets.push(script);
  const hexScript = (text: string, what: string): Uint8Array | undefined =>
    text === '' ? undefined : (hexBytes(text) ?? refuse(`Invalid ${what} script "${text}": must be hex string`));
  const walk: Walk = {
    redeemScript: hexScript(redeemHex, 'redeem'),
    witnessScript: hexScript(witnessHex, 'witness'),
    used: new Map(),
    scripts: data.scripts,
  };
  for (const item of publicKeys) {
    const text = asString(item);
    const key = hexBytes(text) ?? refuse(`Pubkey "${text}" must be a hex string`);
    if (!ctx.crypto.isPoint(key)) refuse(`Pubkey "${text}" is not a valid public key`);
    const id = hashKey(ctx.crypto.hash160(key));
    if (!data.publicKeys.has(id)) data.publicKeys.set(id, key);
    data.ordered.push(key);
  }
  for (const item of secrets) {
    const key = readSecret(ctx, item, call);
    const id = hashKey(ctx.crypto.hash160(key.publicKey));
    data.publicKeys.delete(id);
    addSecret(data, id, key);
  }
  data.hasSolvingData =
    walk.redeemScript !== undefined || walk.witnessScript !== undefined || data.publicKeys.size > 0 || data.secrets.size > 0;
  if (data.hasSolvingData) matchSolvingData(ctx, script, walk, data, watchOnly);
}

/** Checks that keys and inner scripts match the script. Drops those that do not, with a warning. */
function matchSolvingData(ctx: WalletContext, script: Uint8Array, walk: Walk, data: ImportData, watchOnly: boolean): void {
  let reason = walkScript(ctx, script, walk, 'top');
  const { used } = walk;
  warnOfKeys(
    data,
    watchOnly,
    [...used.keys()].every((id) => data.secrets.has(id)),
  );
  if (reason === '') {
    for (const [id, needed] of used) {
      if (needed && !data.publicKeys.has(id) && !data.secrets.has(id)) reason = 'some required keys are missing';
    }
  }
  if (reason !== '') {
    data.warnings.push(
      `Importing as non-solvable: ${reason}. If this is intentional, don't provide any keys, pubkeys, witnessscript, or redeemscript.`,
    );
    wipeImport(data);
    data.scripts.clear();
    data.publicKeys.clear();
    data.secrets.clear();
    data.hasSolvingData = false;
    return;
  }
  if (walk.redeemScript) data.warnings.push('Ignoring redeemscript as this is not a P2SH script.');
  if (walk.witnessScript) data.warnings.push('Ignoring witnessscript as this is not a (P2SH-)P2WSH script.');
  // The keys of these maps are the bytes of hashes, so the order of strings is the order of bytes.
  for (const id of [...data.secrets.keys()].sort()) {
    if (used.has(id)) continue;
    data.warnings.push('Ignoring irrelevant private key.');
    data.secrets.get(id)?.secret.fill(0);
    data.secrets.delete(id);
  }
  for (const id of [...data.publicKeys.keys()].sort()) {
    if (used.get(id) === true) continue;
    const shown = bytesHex(Buffer.from(id, 'latin1'));
    data.warnings.push(`Ignoring public key "${shown}" as it doesn't appear inside P2PKH or P2WPKH.`);
    data.publicKeys.delete(id);
  }
}

// Requests with descriptors

/**
 * Maximum number of indices of ranges per call: each takes about 5 kB until it is written. Core limits only the length
 * of each range.
 */
export const MOST_INDICES = 300_000;

/**
 * Parses a request with `desc` into `data`, in slices because a range may have very many indexes.
 * @param left indexes that the call may still import
 * @throws RpcError
 */
export async function fillFromDescriptor(
  ctx: WalletContext,
  request: JsonObject,
  call: CallInfo,
  data: ImportData,
  left: { indices: number },
): Promise<void> {
  const parsed = parseDescriptor(asString(request.get('desc')), ctx.descriptors, { requireChecksum: true, keys: call.taken?.keys });
  if ('error' in parsed) {
    refuse(parsed.error);
    return;
  }
  const { descriptors, secrets } = parsed;
  const [descriptor] = descriptors;
  try {
    // Only descriptor wallets store keys without a script.
    if (!descriptor.hasScripts) refuse('Cannot import unused() to a legacy wallet');
    if (descriptors.length > 1 && request.has('internal')) {
      refuse("Cannot have multipath descriptor while also specifying 'internal'");
    }
    data.hasSolvingData = descriptor.isSolvable;
    const watchOnly = optional(request, 'watchonly', asBool, false);
    let range = { begin: 0, end: 0 };
    if (!descriptor.isRange && request.has('range')) {
      fail(RPC_CODE.INVALID_PARAMETER, 'Range should not be specified for an un-ranged descriptor');
    }
    if (descriptor.isRange) {
      if (!request.has('range')) fail(RPC_CODE.INVALID_PARAMETER, 'Descriptor is ranged, please specify the range');
      range = asRange(request.get('range'));
      const indices = range.end - range.begin + 1;
      if (indices > left.indices) fail(RPC_CODE.INVALID_PARAMETER, `One call imports ${MOST_INDICES} indices of ranges at most`);
      left.indices -= indices;
    }
    const keys = optional(request, 'keys', asArray, []);
    const { crypto } = ctx;
    const origins = new Set<string>();
    const keepPublic = (expansion: Expansion): void => {
      data.targets.push(...expansion.scripts);
      for (const script of expansion.innerScripts) data.scripts.set(hashKey(crypto.hash160(script)), script);
      const hashed = expansion.hashedKeys.map((key) => ({ id: hashKey(crypto.hash160(key)), key }));
      for (const { id, key } of hashed.sort((a, b) => (a.id < b.id ? -1 : 1))) {
        data.ordered.push(key);
        data.publicKeys.set(id, key);
      }
      for (const { publicKey, origin } of expansion.keys) {
        const id = hashKey(crypto.hash160(publicKey));
        if (origins.has(id)) continue;
        origins.add(id);
        data.origins.push({ publicKey, origin });
      }
    };
    const slice = new TimeSlice();
    for (const [at, path] of descriptors.entries()) {
      // The second of two paths is for change.
      if (at === 1 && descriptors.length === 2) data.changeFrom = data.ordered.length;
      for (let index = range.begin; index <= range.end; index++) {
        const expansion = path.expand(index, { secrets });
        // If a private key for a hardened step is missing, there are no scripts. The private keys in the descriptor are
        // imported even then.
        if (expansion !== null) keepPublic(expansion);
        for (const pair of path.secretsAt(index, secrets)) {
          const id = hashKey(crypto.hash160(pair.publicKey));
          addSecret(data, id, pair);
        }
        if (slice.over) await slice.next();
      }
    }
    for (const item of keys) {
      const key = readSecret(ctx, item, call);
      const id = hashKey(crypto.hash160(key.publicKey));
      if (data.publicKeys.has(id)) addSecret(data, id, key);
      else {
        key.secret.fill(0);
        data.warnings.push('Ignoring irrelevant private key.');
      }
    }
    const spendable = [...data.publicKeys.keys(), ...origins].every((id) => data.secrets.has(id));
    warnOfKeys(data, watchOnly, spendable);
  } finally {
    secrets.wipe();
  }
}
