// Makes the master key of a wallet that is encrypted from the beginning, so that no private key was ever plain on disk.
import { randomFillSync } from 'node:crypto';
import { secretBytes, secretCopy } from '../../crypto/secret-bytes.js';
import { sealMasterKey } from '../crypt/master-key.js';
import type { Wallet } from '../wallet.js';

/**
 * Encrypts a wallet that has no keys yet with a new master key, and unlocks it.
 * @param passphrase bytes that the caller wipes
 */
export async function makeMasterKey(wallet: Wallet, passphrase: Uint8Array): Promise<void> {
  const masterKey = randomFillSync(secretBytes(32));
  try {
    wallet.encryption.masterKeys.push(await sealMasterKey(masterKey, passphrase));
    wallet.vault.unlock(secretCopy(masterKey));
  } finally {
    masterKey.fill(0);
  }
}
