// Which output scripts may have become a legacy wallet's, or stopped being, by rows that a change wrote: what is looked
// at again after an import, so that its cost follows what was imported. More than enough is named; isMine decides.

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
 * Output scripts that a redeem or witness script is spent by, and the script itself: a native witness program is ours
 * only while it is stored.
 * @param id its HASH160
 */
export function* formsOfScript(id: Uint8Array, script: Uint8Array, hashes: Hashes): Generator<Uint8Array> {
  yield script;
  yield scriptHashScript(id);
  // Most scripts of a large wallet: what a key implies. A witness program inside another is invalid (is-mine.ts).
  if (isPayToWitnessPublicKeyHash(script)) return;
  const program = witnessProgramScript(0, hashes.sha256(script));
  yield program;
  yield scriptHashScript(hashes.hash160(program));
}

/** The segwit output scripts of a key. @param id its HASH160 */
function* formsOfKey(id: Uint8Array, hashes: Hashes): Generator<Uint8Array> {
  const program = keyHashProgram(id);
  yield program;
  yield scriptHashScript(hashes.hash160(program));
}

const OF_SCRIPTS: readonly number[] = [WALLET_PREFIX.key, WALLET_PREFIX.script, WALLET_PREFIX.watched];

/** What a legacy wallet's change is judged by. */
export interface TouchedStores extends LegacyStores {
  readonly keys: KeyTable;
  /** Redeem and witness scripts that are more than one key's. */
  compoundScripts(): Iterable<Uint8Array>;
}

/** @param ops what a change wrote; its keys alone are looked at */
export function touchedScripts(ops: readonly BatchOp[], legacy: TouchedStores, hashes: Hashes): TouchedScripts {
  return ops.some(({ key }) => OF_SCRIPTS.includes(key[0])) ? formsOf(ops, legacy, hashes) : null;
}

function* keysUnder(prefix: number, ops: readonly BatchOp[]): Generator<Uint8Array> {
  for (const { key } of ops) if (key[0] === prefix) yield key.subarray(1);
}

function* formsOf(ops: readonly BatchOp[], legacy: TouchedStores, hashes: Hashes): Generator<Uint8Array> {
  for (const script of keysUnder(WALLET_PREFIX.watched, ops)) {
    // What is watched counts inside other scripts as well; a key's witness program stands for its P2PKH script.
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
    // Those of an uncompressed key are invalid; that it is uncompressed may not have been known before.
    yield* formsOfKey(id, hashes);
  }
  for (const id of keysUnder(WALLET_PREFIX.script, ops)) {
    const script = legacy.script(id);
    if (script === undefined) continue;
    yield* formsOfScript(id, script, hashes);
  }
  if (decisive.size === 0) return;
  // The last missing private key of a script makes it ours, an uncompressed key makes a witness script invalid.
  for (const script of legacy.compoundScripts()) {
    // Yielded in any case, as a step of the work: the caller pauses between steps.
    yield script;
    if (!keysInScript(script, legacy, hashes).some((id) => decisive.has(hashKey(id)))) continue;
    yield* formsOfScript(hashes.hash160(script), script, hashes);
  }
}
