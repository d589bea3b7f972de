// encryptwallet, walletpassphrase, walletpassphrasechange, walletlock. Passphrases are bytes from here on, overwritten
// when done.
import { follows } from '../../policy/compat.js';
import { encodeMasterKey, openMasterKey, type SealedMasterKey, sealMasterKey } from '../../wallet/crypt/master-key.js';
import { fillPool } from '../../wallet/keys/fill-pool.js';
import { encryptWallet, renewSeed } from '../../wallet/manage/encrypt-wallet.js';
import { WALLET_PREFIX, walletKey } from '../../wallet/storage/layout.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asInt64 } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { Slicer } from '../node/slices.js';
import { passphraseOf } from './passphrase.js';
import { asRpcError, walletOf } from './select.js';

const MAX_SECONDS = 100_000_000n;
const encryptedText = ({ compat }: NodeContext): string =>
  `wallet encrypted; The keypool has been flushed and a new HD seed was generated${
    follows(compat, 28)
      ? '. You need to make a new backup with the backupwallet RPC.'
      : ' (if you are using HD). You need to make a new backup.'
  }`;

function ensureEncrypted(wallet: Wallet, method: string): void {
  if (wallet.vault.encrypted) return;
  fail(RPC_CODE.WALLET_WRONG_ENC_STATE, `Error: running with an unencrypted wallet, but ${method} was called.`);
}
const empty = ({ compat }: NodeContext): never =>
  fail(RPC_CODE.INVALID_PARAMETER, `passphrase ${follows(compat, 23) ? 'cannot' : 'can not'} be empty`);
const incorrect = (): never => fail(RPC_CODE.WALLET_PASSPHRASE_INCORRECT, 'Error: The wallet passphrase entered was incorrect.');

/** The master key under a passphrase, in a fresh array, and how it is stored. */
async function masterKeyOf(wallet: Wallet, passphrase: Uint8Array): Promise<{ key: Uint8Array; stored: SealedMasterKey }> {
  for (const stored of wallet.masterKeys) {
    const key = await openMasterKey(stored, passphrase);
    if (key !== null) return { key, stored };
  }
  return incorrect();
}

export const encryptwallet: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  if (wallet.privateKeysDisabled) {
    fail(RPC_CODE.WALLET_ENCRYPTION_FAILED, 'Error: wallet does not contain private keys, nothing to encrypt.');
  }
  const ensurePlain = (): void => {
    if (wallet.vault.encrypted) {
      fail(RPC_CODE.WALLET_WRONG_ENC_STATE, 'Error: running with an encrypted wallet, but encryptwallet was called.');
    }
  };
  ensurePlain();
  const passphrase = passphraseOf(args, 0, call);
  try {
    if (passphrase.length === 0) empty(ctx);
    await wallet.keyUse.alone(async () => {
      // Another call may have been faster.
      ensurePlain();
      await encryptWallet(wallet, passphrase, ctx.descriptors);
    });
  } catch (error) {
    throw asRpcError(error);
  } finally {
    passphrase.fill(0);
  }
  return encryptedText(ctx);
};

export const walletpassphrase: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  ensureEncrypted(wallet, 'walletpassphrase');
  const passphrase = passphraseOf(args, 0, call);
  try {
    const asked = asInt64(args[1]);
    if (asked < 0n) fail(RPC_CODE.INVALID_PARAMETER, 'Timeout cannot be negative.');
    const seconds = Number(asked > MAX_SECONDS ? MAX_SECONDS : asked);
    if (passphrase.length === 0) empty(ctx);
    const { key } = await masterKeyOf(wallet, passphrase);
    wallet.unlock(key, seconds);
    const { session } = wallet.vault;
    await renewSeed(wallet, ctx.descriptors);
    await fillPool(wallet, 0, new Slicer(call.breathe));
    await wallet.looked();
    // Another call may have unlocked it for longer meanwhile.
    if (seconds === 0 && wallet.vault.session === session) wallet.lock();
  } finally {
    passphrase.fill(0);
  }
  return null;
};

export const walletpassphrasechange: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  ensureEncrypted(wallet, 'walletpassphrasechange');
  const old = passphraseOf(args, 0, call);
  const fresh = passphraseOf(args, 1, call);
  try {
    if (old.length === 0 || fresh.length === 0) empty(ctx);
    const { key, stored } = await masterKeyOf(wallet, old);
    try {
      const renewed = await sealMasterKey(key, fresh);
      await wallet.change((batch) => {
        // Another call was faster: the old passphrase opens nothing any more.
        if (!wallet.masterKeys.includes(stored)) incorrect();
        wallet.masterKeys.splice(0, wallet.masterKeys.length, renewed);
        batch.put(walletKey(WALLET_PREFIX.masterKey, 1), encodeMasterKey(renewed));
      }, true);
    } finally {
      key.fill(0);
    }
  } finally {
    old.fill(0);
    fresh.fill(0);
  }
  return null;
};

export const walletlock: Run<NodeContext> = async (ctx, _args, call) => {
  const wallet = walletOf(ctx, call);
  ensureEncrypted(wallet, 'walletlock');
  await wallet.keyUse.lock();
  return null;
};
