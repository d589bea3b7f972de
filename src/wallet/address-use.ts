// Use of an output script's address, according to a wallet's keys and its address book.
import { scriptHashScript } from '../consensus/script/build-script.js';
import type { Hashes } from '../crypto/crypto.js';
import type { AddressBook } from './address-book.js';
import { destinationOf } from './keys/destination.js';
import { keysInScript, payToKeyHash } from './keys/is-mine.js';
import type { KeySource } from './keys/key-source.js';
import { keyHashProgram } from './keys/key-table.js';
import type { LegacyKeys } from './keys/legacy-keys.js';
import { OWNERSHIP } from './keys/ownership.js';

/** Members of a wallet that these functions read. */
interface AddressedWallet {
  readonly keys: KeySource;
  readonly legacy: LegacyKeys | null;
  readonly book: AddressBook;
  readonly parts: { readonly crypto: Hashes };
}

/** Returns whether a script has no address, or an address without a label. */
export function isUnlabelled({ book, parts }: AddressedWallet, script: Uint8Array): boolean {
  const destination = destinationOf(script, parts.crypto);
  return destination === null || book.label(destination) === undefined;
}

/**
 * Returns whether a script belongs to the wallet and its address has no label. The wallet regards such scripts as
 * change.
 */
export const isChange = (wallet: AddressedWallet, script: Uint8Array): boolean =>
  wallet.keys.isMine(script) !== OWNERSHIP.NO && isUnlabelled(wallet, script);

/**
 * Returns whether the wallet has already spent from an address (avoid_reuse). For legacy keys, spending from another
 * address of the same key counts too.
 */
export function isUsed({ book, legacy, parts }: AddressedWallet, script: Uint8Array): boolean {
  const { crypto } = parts;
  const destination = destinationOf(script, crypto);
  if (destination === null) return false;
  if (book.isUsed(destination)) return true;
  if (legacy === null) return false;
  return keysInScript(script, legacy, crypto).some((id) => {
    const program = keyHashProgram(id);
    const siblings = [program, scriptHashScript(crypto.hash160(program)), payToKeyHash(id)];
    return siblings.some((sibling) => book.isUsed(sibling));
  });
}
