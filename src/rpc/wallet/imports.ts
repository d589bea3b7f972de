// The older single imports: importprivkey, importaddress, importpubkey. Each watches or takes one thing and scans from
// the beginning.
import { decodeAddress } from '../../address/address.js';
import { scriptHashScript } from '../../consensus/script/build-script.js';
import { planRescan } from '../../wallet/follow/rescan.js';
import { payToKeyHash } from '../../wallet/keys/is-mine.js';
import { keyHashProgram } from '../../wallet/keys/key-table.js';
import type { WalletBatch } from '../../wallet/storage/wallet-batch.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asBool, asString, hexBytes } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import type { JsonValue } from '../wire/values.js';
import { readSecret } from './import-request.js';
import { importTarget } from './importmulti.js';
import { refuseScanOfPruned, scanDeps, scanImported, withRescan } from './rescan.js';
import { ensureUnlocked, legacyOf, walletOf } from './select.js';

const given = (value: JsonValue | undefined): value is JsonValue => value !== undefined && value !== null;
/** The time of keys whose past is unknown. */
const BEGINNING = 1;

/** Output scripts of a key's addresses: legacy, and for compressed keys the two of segwit. */
export function keyScripts(ctx: NodeContext, publicKey: Uint8Array): Uint8Array[] {
  const id = ctx.crypto.hash160(publicKey);
  if (publicKey.length !== 33) return [payToKeyHash(id)];
  const program = keyHashProgram(id);
  return [payToKeyHash(id), scriptHashScript(ctx.crypto.hash160(program)), program];
}

/** Imports, then scans the whole chain when asked to. */
async function importThenScan(
  ctx: NodeContext,
  wallet: Wallet,
  rescan: boolean,
  work: (plan: (batch: WalletBatch) => void) => Promise<void>,
): Promise<null> {
  if (!rescan) {
    await work(() => {});
    return null;
  }
  refuseScanOfPruned(ctx);
  return withRescan(ctx, wallet, async () => {
    await work((batch) => planRescan(wallet, 0, scanDeps(ctx, wallet).chain, batch));
    const scannedTo = await scanImported(ctx, wallet, 0);
    if (wallet.scan?.abort) fail(RPC_CODE.MISC_ERROR, 'Rescan aborted by user.');
    if (scannedTo > 0) {
      fail(RPC_CODE.WALLET_ERROR, 'Rescan was unable to fully rescan the blockchain. Some transactions may be missing.');
    }
    return null;
  });
}

export const importprivkey: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  if (wallet.privateKeysDisabled) {
    fail(RPC_CODE.WALLET_ERROR, 'Cannot import private keys to a wallet with private keys disabled');
  }
  const legacy = legacyOf(wallet);
  ensureUnlocked(wallet);
  const text = asString(args[0]);
  const label = given(args[1]) ? asString(args[1]) : '';
  const rescan = given(args[2]) ? asBool(args[2]) : true;
  return importThenScan(ctx, wallet, rescan, async (plan) => {
    const key = readSecret(ctx, text, call);
    try {
      await wallet.changeKeys((batch) => {
        ensureUnlocked(wallet);
        for (const script of keyScripts(ctx, key.publicKey)) {
          if (given(args[1]) || wallet.book.label(script) === undefined) wallet.book.set(script, label, 'receive', batch);
        }
        legacy.importSecret(key.secret, key.publicKey, BEGINNING, batch);
        plan(batch);
        if (key.publicKey.length === 33) legacy.addScript(keyHashProgram(ctx.crypto.hash160(key.publicKey)), 0, batch);
      });
      wallet.hasKeyManager = true;
    } finally {
      key.secret.fill(0);
    }
  });
};

export const importaddress: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  const label = given(args[1]) ? asString(args[1]) : '';
  const rescan = given(args[2]) ? asBool(args[2]) : true;
  const alsoP2sh = given(args[3]) ? asBool(args[3]) : false;
  return importThenScan(ctx, wallet, rescan, async (plan) => {
    const text = asString(args[0]);
    const decoded = decodeAddress(text, ctx.params, ctx.crypto);
    const how = { hasSolvingData: false, label, time: BEGINNING };
    if ('script' in decoded) {
      if (alsoP2sh) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Cannot use the p2sh flag with an address - use a script instead');
      await wallet.changeKeys((batch) => {
        importTarget(ctx, wallet, decoded.script, how, batch);
        plan(batch);
      });
    } else {
      const script = hexBytes(text) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address or script');
      await wallet.changeKeys((batch) => {
        legacy.importScript(script, 0, batch);
        const targets = alsoP2sh ? [script, scriptHashScript(ctx.crypto.hash160(script))] : [script];
        for (const target of targets) importTarget(ctx, wallet, target, how, batch);
        plan(batch);
      });
    }
    wallet.hasKeyManager = true;
  });
};

export const importpubkey: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  const label = given(args[1]) ? asString(args[1]) : '';
  const rescan = given(args[2]) ? asBool(args[2]) : true;
  return importThenScan(ctx, wallet, rescan, async (plan) => {
    const key = hexBytes(asString(args[0])) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Pubkey must be a hex string');
    if (!ctx.crypto.isPoint(key)) fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Pubkey is not a valid public key');
    await wallet.changeKeys((batch) => {
      const how = { hasSolvingData: true, label, time: BEGINNING };
      for (const script of keyScripts(ctx, key)) importTarget(ctx, wallet, script, how, batch);
      legacy.importPublicKey(key, BEGINNING, { add: false, internal: false }, batch);
      plan(batch);
    });
    wallet.hasKeyManager = true;
  });
};
