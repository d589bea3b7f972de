// Creates a wallet: the options of the call, the descriptors of an external signer, and the database under a temporary
// name until it is complete.
import type { DescriptorContext } from '../../address/descriptor/context.js';
import type { Descriptor } from '../../address/descriptor/descriptor.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import { encodeMasterKey } from '../crypt/master-key.js';
import type { ExternalSigner } from '../external-signer.js';
import { fillPool } from '../keys/fill-pool.js';
import type { NodeClient } from '../node-client.js';
import { WALLET_PREFIX, WALLET_SCHEMA, walletKey } from '../storage/layout.js';
import { clearNewDatabase, databaseOf } from '../storage/wallet-folder.js';
import type { Wallet } from '../wallet.js';
import { WALLET_FLAG, WalletRecord } from '../wallet-record.js';
import { makeMasterKey } from './first-master-key.js';
import { assembleWallet, type WalletSurroundings } from './load-wallet.js';
import { installNewDatabase, type NewFolder, openDatabase } from './new-folder.js';
import { addWatched, generateKeys } from './new-keys.js';
import { WALLET_CODE, WalletError } from './wallet-error.js';

export interface NewWallet {
  readonly name: string;
  readonly disablePrivateKeys: boolean;
  readonly blank: boolean;
  /** Passphrase, which the caller wipes; null or empty: not encrypted. */
  readonly passphrase: Uint8Array | null;
  readonly avoidReuse: boolean;
  readonly descriptors: boolean;
  /** External signer that supplies the descriptors, for a wallet whose keys are on a device. */
  readonly signer: Pick<ExternalSigner, 'descriptors'> | null;
}

/** Descriptor of an account of a device. */
export interface SignerBranch {
  readonly descriptor: Descriptor;
  readonly isInternal: boolean;
}

/** Returns the parsed descriptors of account 0 of an external signer. @throws WalletError */
export async function signerDescriptors(
  { disablePrivateKeys, descriptors }: NewWallet,
  signer: NonNullable<NewWallet['signer']>,
  context: DescriptorContext,
): Promise<SignerBranch[]> {
  const refuse = (code: number, why: string): never => {
    throw new WalletError(code, why);
  };
  if (!disablePrivateKeys) refuse(WALLET_CODE.WALLET, 'Private keys must be disabled when using an external signer');
  if (!descriptors) refuse(WALLET_CODE.WALLET, 'Descriptor support must be enabled when using an external signer');
  const { receive, internal } = await signer.descriptors(0);
  const branches: SignerBranch[] = [];
  for (const [texts, isInternal] of [
    [receive, false],
    [internal, true],
  ] as const) {
    for (const text of texts) {
      const parsed = parseDescriptor(text, context, { requireChecksum: false });
      if ('error' in parsed)
        return refuse(WALLET_CODE.MISC, `SetupDescriptorScriptPubKeyMans: Invalid descriptor "${text}" (${parsed.error})`);
      // Wipe private keys if the device reveals any. A wallet with an external signer must not have them.
      parsed.secrets.wipe();
      if (parsed.descriptors[0].outputType !== null) branches.push({ descriptor: parsed.descriptors[0], isInternal });
    }
  }
  return branches;
}

/**
 * Fills the database of a new wallet, which starts at the tip, syncs it, and renames it to its final name. If that
 * fails, closes the wallet.
 * @param signerBranches descriptors of an external signer; null without one
 */
export async function makeWallet(
  wanted: NewWallet,
  place: NewFolder,
  signerBranches: readonly SignerBranch[] | null,
  surroundings: WalletSurroundings,
  client: NodeClient,
): Promise<Wallet> {
  const { folder } = place;
  const secret = wanted.passphrase !== null && wanted.passphrase.length > 0;
  const record = new WalletRecord();
  if (wanted.disablePrivateKeys) record.flags |= WALLET_FLAG.DISABLE_PRIVATE_KEYS;
  if (wanted.blank && signerBranches === null) record.flags |= WALLET_FLAG.BLANK;
  if (signerBranches !== null) record.flags |= WALLET_FLAG.EXTERNAL_SIGNER;
  if (wanted.avoidReuse) record.flags |= WALLET_FLAG.AVOID_REUSE;
  if (wanted.descriptors) record.flags |= WALLET_FLAG.DESCRIPTORS;
  else record.flags |= WALLET_FLAG.KEY_ORIGIN_METADATA;
  const store = await openDatabase(await clearNewDatabase(folder));
  const wallet = assembleWallet(surroundings, { name: wanted.name, folder, record, encrypted: secret, store });
  try {
    if (secret) await makeMasterKey(wallet, wanted.passphrase!);
    // A new wallet starts at the tip, because no earlier block can pay it.
    wallet.position.moveTo(client.tip);
    wallet.ledger.setTip(client.tip.height);
    // Do not sync this write to disk: no call sees the wallet before it is complete and has its name. In an encrypted
    // wallet no key was ever plain on disk.
    await wallet.change((batch) => {
      batch.put(walletKey(WALLET_PREFIX.schema), Uint8Array.of(WALLET_SCHEMA));
      record.write(batch);
      if (secret) batch.put(walletKey(WALLET_PREFIX.masterKey, 1), encodeMasterKey(wallet.encryption.masterKeys[0]));
      if (!wanted.blank && !wanted.disablePrivateKeys) generateKeys(wallet, surroundings.context, batch);
      for (const { descriptor, isInternal } of signerBranches ?? []) addWatched(wallet, descriptor, isInternal, batch);
    }, false);
    await fillPool(wallet, 0);
    wallet.position.setLocator(await client.locator(wallet.tip!.hash));
    await wallet.change((batch) => wallet.position.writeLocator(batch));
    wallet.encryption.lockNow();
    await store.close();
    await installNewDatabase(place);
    wallet.storage.replaceStore(await openDatabase(databaseOf(folder)));
    return wallet;
  } catch (error) {
    await wallet.close(false);
    throw error;
  }
}
