// Finds output scripts whose ownership may have changed through rows that a change to a legacy wallet wrote. Only these
// scripts are reassessed after an import, so its cost depends on what was imported. The result may contain too many
// scripts; isMine decides.

import { hashKey } from '../../consensus/bytes/hex.js';
import { scriptHashScript, witnessProgramScript } from '../../consensus/script/build-script.js';
import { isPayToWitnessPublicKeyHash } from '../../consensus/script/templates.js';
import type { Hashes } from '../../crypto/crypto.js';
import { solve } from '../../policy/script-type.js';
import type { BatchOp } from '../../storage/store.js';
import { WALLET_PREFIX } from '../storage/layout.js';
import { payToKey } from './destination.js';
import { keysInScript, type LegacyStores, payToKeyHash } from './is-mine.js';
import type { TouchedScripts } from './key-source.js';
import { type KeyTable, keyHashProgram } from './key-table.js';

const COMPRESSED = 33;

/**
 * Yields the output scripts that pay to a redeem or witness script, and the script itself: a native witness program is
 * the wallet's only while it is stored as a redeem script.
 * @param id HASH160 of the script
 */
export function* formsOfScript(id: Uint8Array, script: Uint8Array, hashes: Hashes): Generator<Uint8Array> {
  yield script;
  yield scriptHashScript(id);
  // End here for P2WPKH scripts of keys, which are most scripts of a large wallet. A witness program inside another one
  // is invalid (is-mine.ts).
  if (isPayToWitnessPublicKeyHash(script)) return;
  const program = witnessProgramScript(0, hashes.sha256(script));
  yield program;
  yield scriptHashScript(hashes.hash160(program));
}

/** Yields the segwit output scripts of a key. @param id its HASH160 */
function* formsOfKey(id: Uint8Array, hashes: Hashes): Generator<Uint8Array> {
  const program = keyHashProgram(id);
  yield program;
  yield scriptHashScript(hashes.hash160(program));
}

const OF_SCRIPTS: readonly number[] = [WALLET_PREFIX.key, WALLET_PREFIX.script, WALLET_PREFIX.watched];

/** Lookups that touchedScripts needs. */
export interface TouchedStores extends LegacyStores {
  readonly keys: KeyTable;
  /** Yields redeem and witness scripts other than P2WPKH scripts of keys. */
  compoundScripts(): Iterable<Uint8Array>;
}

/** Returns the affected scripts. @param ops rows that a change wrote; only their keys are used */
export function touchedScripts(ops: readonly BatchOp[], legacy: TouchedStores, hashes: Hashes): TouchedScripts {
  return ops.some(({ key }) => OF_SCRIPTS.includes(key[0])) ? formsOf(ops, legacy, hashes) : null;
}

function* keysUnder(prefix: number, ops: readonly BatchOp[]): Generator<Uint8Array> {
  for (const { key } of ops) if (key[0] === prefix) yield key.subarray(1);
}

function* formsOf(ops: readonly BatchOp[], legacy: TouchedStores, hashes: Hashes): Generator<Uint8Array> {
  for (const script of keysUnder(WALLET_PREFIX.watched, ops)) {
    // Watching a script also affects outputs that pay to it as a redeem or witness script. For P2PKH, it affects the
    // P2WPKH forms of the same key hash.
    yield* formsOfScript(hashes.hash160(script), script, hashes);
    const { type, solutions } = solve(script);
    if (type === 'pubkeyhash') yield* formsOfKey(solutions[0], hashes);
  }
  const decisive = new Set<string>();
  for (const id of keysUnder(WALLET_PREFIX.key, ops)) {
    const row = legacy.keys.find(id);
    if (row < 0) continue;
    const publicKey = legacy.keys.anyPublicKey(row);
    if (legacy.keys.isPrivate(row) || publicKey.length !== COMPRESSED) decisive.add(hashKey(id));
    yield payToKey(publicKey);
    yield payToKeyHash(id);
    // Segwit scripts of an uncompressed key are invalid, but they may have counted as valid before the key was known to
    // be uncompressed.
    yield* formsOfKey(id, hashes);
  }
  for (const id of keysUnder(WALLET_PREFIX.script, ops)) {
    const script = legacy.script(id);
    if (script === undefined) continue;
    yield* formsOfScript(id, script, hashes);
  }
  if (decisive.size === 0) return;
  // A new private key may complete a multisig script, which is then the wallet's. An uncompressed key makes a witness
  // script invalid.
  for (const script of legacy.compoundScripts()) {
    // Yield the script even if the script is unaffected: the caller pauses between yields.
    yield script;
    if (!keysInScript(script, legacy, hashes).some((id) => decisive.has(hashKey(id)))) continue;
    yield* formsOfScript(hashes.hash160(script), script, hashes);
  }
}
