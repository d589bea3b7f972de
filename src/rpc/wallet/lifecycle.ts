// Wallets come and go: createwallet, loadwallet, unloadwallet, listwallets, listwalletdir, backupwallet, restorewallet,
// and their flags.
import fs from 'node:fs/promises';
import path from 'node:path';
import { follows, only } from '../../policy/compat.js';
import { writeBackup } from '../../wallet/manage/backup.js';
import { VERIFY } from '../../wallet/manage/wallet-error.js';
import { CORE_NAME, isOfDatabase } from '../../wallet/storage/wallet-folder.js';
import { WALLET_FLAG, WALLET_VERSION } from '../../wallet/wallet-record.js';
import { asBool, asInt, asString, checkTypes } from '../args.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { Slicer } from '../node/slices.js';
import type { JsonResult, JsonValue } from '../wire/values.js';
import { signerOf } from './external-signer.js';
import { passphraseOf } from './passphrase.js';
import { asRpcError, ensureUnlocked, failNotLoaded, managerOf, walletNameOf, walletOf } from './select.js';

const given = (value: JsonValue | undefined): value is JsonValue => value !== undefined && value !== null;
const flag = (value: JsonValue | undefined, otherwise: boolean): boolean => (given(value) ? asBool(value) : otherwise);

/** Warnings in both forms: one text since ever, a list where there are any since release 25. */
const warned = (warnings: readonly string[]): Record<string, JsonResult> => ({
  warning: warnings.join('\n'),
  ...(warnings.length > 0 ? { warnings } : {}),
});

/** Which names of wallets release 31 takes: no way up, no detours. */
function checkName({ compat }: NodeContext, name: string): void {
  if (!only(compat, 31)) return;
  const refuse = (why: string): never => fail(RPC_CODE.WALLET_ERROR, `${VERIFY}Wallet name ${why}`);
  const parts = name.split('/').filter((part) => part !== '');
  const isDetour = (part: string, at: number): boolean =>
    part === '.' ? parts.length > 1 : part === '..' && (name.startsWith('/') || (at > 0 && parts[at - 1] !== '..'));
  if (parts.some(isDetour) || /(^|\/)\.\.?\/$/.test(name)) refuse('given as a path must be normalized');
  if (parts[0] === '.' || parts[0] === '..') {
    refuse('given as a relative path cannot begin with ./ or ../, for wallets not in the walletdir, please use an absolute path.');
  }
  if (name.startsWith('/') && parts.length === 0) refuse('cannot be the root path');
}

/** What to do with the list of wallets to load at the next start: undefined leaves it. */
const loadOnStart = (value: JsonValue | undefined): boolean | undefined => (given(value) ? asBool(value) : undefined);

export const createwallet: Run<NodeContext> = async (ctx, args, call) => {
  const manager = managerOf(ctx);
  const disablePrivateKeys = flag(args[1], false);
  const blank = flag(args[2], false);
  const passphrase = given(args[3]) ? passphraseOf(args, 3, call) : null;
  try {
    const avoidReuse = flag(args[4], false);
    const descriptors = flag(args[5], ctx.compat.descriptorWallets);
    if (!descriptors && only(ctx.compat, 30)) {
      const text = 'descriptors argument must be set to "true"; it is no longer possible to create a legacy wallet.';
      fail(RPC_CODE.WALLET_ERROR, text);
    }
    const load = loadOnStart(args[6]);
    const signer = flag(args[7], false) ? signerOf(ctx) : null;
    const name = asString(args[0]);
    if (name === '' && only(ctx.compat, 31)) fail(RPC_CODE.INVALID_PARAMETER, 'Wallet name cannot be empty');
    checkName(ctx, name);
    const { warnings } = await manager.create({ name, disablePrivateKeys, blank, passphrase, avoidReuse, descriptors, signer });
    if (load !== undefined) manager.setLoadOnStart(name, load);
    if (descriptors && !only(ctx.compat, 23)) warnings.push('Wallet is an experimental descriptor wallet');
    return { name, ...warned([...warnings, ...manager.warnings]) };
  } catch (error) {
    throw asRpcError(error);
  } finally {
    passphrase?.fill(0);
  }
};

export const loadwallet: Run<NodeContext> = async (ctx, args) => {
  const manager = managerOf(ctx);
  const name = asString(args[0]);
  const load = loadOnStart(args[1]);
  if (only(ctx.compat, 25) && manager.get(name)) fail(RPC_CODE.WALLET_ALREADY_LOADED, `Wallet "${name}" is already loaded.`);
  checkName(ctx, name);
  try {
    const wallet = await manager.load(name);
    if (load !== undefined) manager.setLoadOnStart(wallet.name, load);
    return { name: wallet.name, ...warned(manager.warnings) };
  } catch (error) {
    throw asRpcError(error);
  }
};

export const unloadwallet: Run<NodeContext> = async (ctx, args, call) => {
  const manager = managerOf(ctx);
  const endpoint = walletNameOf(call.path);
  const same = follows(ctx.compat, 22);
  if (endpoint !== null && given(args[0]) && same && endpoint !== asString(args[0])) {
    fail(RPC_CODE.INVALID_PARAMETER, 'The RPC endpoint wallet and the wallet name parameter specify different wallets');
  }
  if (endpoint !== null && given(args[0]) && !same) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Both the RPC endpoint wallet and wallet_name parameter were provided (only one allowed)');
  }
  if (endpoint === null && !given(args[0]) && only(ctx.compat, 30)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Either the RPC endpoint wallet or the wallet name parameter must be provided');
  }
  const name = endpoint ?? asString(args[0]);
  const wallet = manager.get(name) ?? failNotLoaded();
  const load = loadOnStart(args[1]);
  try {
    await manager.unload(wallet);
    if (load !== undefined) manager.setLoadOnStart(name, load);
  } catch (error) {
    throw asRpcError(error);
  }
  return warned([]);
};

export const listwallets: Run<NodeContext> = (ctx) => managerOf(ctx).all.map((wallet) => wallet.name);

export const listwalletdir: Run<NodeContext> = async (ctx) => ({
  wallets: (await managerOf(ctx).listDir()).map((name) => ({ name, warnings: [] })),
});

export const backupwallet: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const destination = path.resolve(asString(args[0]));
  try {
    const isFolder = await fs.stat(destination).then(
      (info) => info.isDirectory(),
      () => false,
    );
    await wallet.exclusive(async () => {});
    // A name may be a path.
    const name = `${(wallet.name || 'wallet').replaceAll(/[/\\:]+/g, '_')}.backup`;
    const file = isFolder ? path.join(destination, name) : destination;
    if (await isOfDatabase(wallet.parts.options.dir, file)) throw new Error('a wallet is not written over');
    await writeBackup(wallet.store, file);
  } catch {
    fail(RPC_CODE.WALLET_ERROR, 'Error: Wallet backup failed!');
  }
  return null;
};

export const restorewallet: Run<NodeContext> = async (ctx, args) => {
  const manager = managerOf(ctx);
  const name = asString(args[0]);
  const file = path.resolve(asString(args[1]));
  const load = loadOnStart(args[2]);
  if (name === '') fail(RPC_CODE.INVALID_PARAMETER, 'Wallet name cannot be empty');
  checkName(ctx, name);
  try {
    await manager.restore(name, file);
    if (load !== undefined) manager.setLoadOnStart(name, load);
  } catch (error) {
    throw asRpcError(error);
  }
  return { name };
};

/** The name of the folder that a wallet's file is in; of a file with another name that name without its ending. */
function nameOfFile(file: string): string {
  const { base, name, dir } = path.parse(file);
  return base === CORE_NAME ? path.basename(dir) : name;
}

export const importcorewallet: Run<NodeContext> = async (ctx, args, call) => {
  const manager = managerOf(ctx);
  const asked = path.resolve(asString(args[0]));
  const isFolder = await fs.stat(asked).then(
    (info) => info.isDirectory(),
    () => false,
  );
  const file = isFolder ? path.join(asked, CORE_NAME) : asked;
  const name = given(args[1]) ? asString(args[1]) : nameOfFile(file);
  const load = loadOnStart(args[3]);
  if (name === '') fail(RPC_CODE.INVALID_PARAMETER, 'Wallet name cannot be empty');
  const passphrase = given(args[2]) ? passphraseOf(args, 2, call) : null;
  try {
    const source = { file, magic: ctx.params.magic, passphrase };
    const { warnings, ...counts } = await manager.importCore(name, source, new Slicer(call.breathe));
    if (load !== undefined) manager.setLoadOnStart(name, load);
    return { name, ...counts, ...(warnings.length > 0 ? { warnings } : {}) };
  } catch (error) {
    throw asRpcError(error);
  } finally {
    passphrase?.fill(0);
  }
};

/** Names of flags as setwalletflag takes them. */
const FLAG_NAMES: Readonly<Record<string, bigint>> = {
  avoid_reuse: WALLET_FLAG.AVOID_REUSE,
  blank: WALLET_FLAG.BLANK,
  key_origin_metadata: WALLET_FLAG.KEY_ORIGIN_METADATA,
  disable_private_keys: WALLET_FLAG.DISABLE_PRIVATE_KEYS,
  descriptor_wallet: WALLET_FLAG.DESCRIPTORS,
  external_signer: WALLET_FLAG.EXTERNAL_SIGNER,
};
const REUSE_CAVEAT =
  'You need to rescan the blockchain in order to correctly mark used destinations in the past. Until this is done, some destinations may be considered unused, even if the opposite is the case.';

export const setwalletflag: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const name = asString(args[0]);
  const value = flag(args[1], true);
  const bit = Object.hasOwn(FLAG_NAMES, name) ? FLAG_NAMES[name] : fail(RPC_CODE.INVALID_PARAMETER, `Unknown wallet flag: ${name}`);
  if (bit !== WALLET_FLAG.AVOID_REUSE) fail(RPC_CODE.INVALID_PARAMETER, `Wallet flag is immutable: ${name}`);
  if (wallet.record.has(bit) === value) fail(RPC_CODE.INVALID_PARAMETER, `Wallet flag is already set to ${value}: ${name}`);
  await wallet.change((batch) => {
    if (value) wallet.record.flags |= bit;
    else wallet.record.flags &= ~bit;
    wallet.record.write(batch);
  });
  return { flag_name: name, flag_state: value, ...(value ? { warnings: REUSE_CAVEAT } : {}) };
};

export const upgradewallet: Run<NodeContext> = (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  checkTypes(args, ['number'], true);
  ensureUnlocked(wallet);
  const version = given(args[0]) ? asInt(args[0]) : 0;
  const current = wallet.record.version;
  const wanted = version === 0 ? WALLET_VERSION.LATEST : version;
  const facts = { wallet_name: wallet.name, previous_version: current, current_version: current };
  if (wanted < current) {
    return { ...facts, error: `Cannot downgrade wallet from version ${current} to version ${wanted}. Wallet version unchanged.` };
  }
  // adit makes wallets of the latest version only.
  return { ...facts, result: 'Already at latest version. Wallet version unchanged.' };
};
