// Checks the form of a package before coins are read: Core's IsWellFormedPackage and IsChildWithParents.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';

/** Largest number of transactions in a package. */
export const MAX_PACKAGE_COUNT = 25;
/** Largest weight of a package: a standard child with a standard parent, a little over 100,000 virtual bytes. */
const MAX_PACKAGE_WEIGHT = 404_000;

/** Why a whole package is refused: Core's reason and optional debug text. */
export interface PackageFault {
  /** 'policy': the package itself breaks a rule. 'tx': one of its transactions failed and has its own result. */
  readonly kind: 'policy' | 'tx';
  readonly reason: string;
  readonly debug: string;
}

/** Creates a fault of the package itself. */
export function packageFault(reason: string, debug = ''): PackageFault {
  return { kind: 'policy', reason, debug };
}

/** Returns a fault as Core prints it. */
export function packageFaultText({ reason, debug }: PackageFault): string {
  return debug === '' ? reason : `${reason}, ${debug}`;
}

/**
 * Checks count and weight, and that no transaction occurs twice, parents precede children, and no outpoint is spent
 * twice.
 */
export function checkPackageShape(txs: readonly TxView[]): PackageFault | null {
  if (txs.length > MAX_PACKAGE_COUNT) return packageFault('package-too-many-transactions');
  const weight = txs.reduce((sum, tx) => sum + tx.weight, 0);
  // A single heavy transaction is refused by the rules for transactions, whose reject reason is more precise.
  if (txs.length > 1 && weight > MAX_PACKAGE_WEIGHT) return packageFault('package-too-large');
  const later = new Set(txs.map((tx) => hashKey(tx.txid)));
  if (later.size !== txs.length) return packageFault('package-contains-duplicates');
  const spent = new Set<string>();
  let conflict = false;
  for (const tx of txs) {
    for (const parent of parentKeys(tx)) if (later.has(parent)) return packageFault('package-not-sorted');
    later.delete(hashKey(tx.txid));
    const own = new Set(Array.from({ length: tx.inputCount }, (_, i) => hashKey(tx.outpoint(i))));
    for (const outpoint of own) {
      if (spent.has(outpoint)) conflict = true;
      spent.add(outpoint);
    }
  }
  return conflict ? packageFault('conflict-in-package') : null;
}

/** Returns whether the last of at least two transactions spends an output of every other one. */
export function isChildWithParents(txs: readonly TxView[]): boolean {
  const spent = parentKeys(txs[txs.length - 1]);
  return txs.slice(0, -1).every((tx) => spent.has(hashKey(tx.txid)));
}

/** Returns whether the last transaction spends an output of every other one, and no parent spends another parent. */
export function isChildWithLoneParents(txs: readonly TxView[]): boolean {
  if (!isChildWithParents(txs)) return false;
  const parents = txs.slice(0, -1);
  const ids = new Set(parents.map((tx) => hashKey(tx.txid)));
  return parents.every((tx) => [...parentKeys(tx)].every((key) => !ids.has(key)));
}

/** Returns the hash of a package: SHA-256 over its wtxids, sorted as numbers (Core's GetPackageHash). */
export function packageHash(txs: readonly TxView[], { sha256 }: Hashes): Uint8Array {
  // Reverse the wtxids: in internal order the lowest byte comes first, and numbers are compared from the highest.
  const ids = txs.map(({ wtxid }) => wtxid.slice().reverse()).sort(Buffer.compare);
  return sha256(Buffer.concat(ids.map((id) => id.reverse())));
}

function parentKeys(tx: TxView): Set<string> {
  return new Set(Array.from({ length: tx.inputCount }, (_, i) => hashKey(tx.prevHash(i))));
}
