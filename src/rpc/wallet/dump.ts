// Private keys out of a legacy wallet and back: dumpprivkey, dumpwallet, importwallet, in the text format of Core 0.21 (rpcdump.cpp).
import fs from 'node:fs/promises';
import path from 'node:path';
import { decodeAddress, encodeScriptHash } from '../../address/address.js';
import { encodeExtendedSecret } from '../../address/bip32/extended-codec.js';
import { masterFromSeed } from '../../address/bip32/extended-key.js';
import { formatPath } from '../../address/bip32/key-path.js';
import { decodeWif, encodeWif } from '../../address/wif.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { Slicer } from '../../lib/slicer.js';
import { sortInSlices } from '../../lib/sort-in-slices.js';
import { planRescan, rescanFrom } from '../../wallet/follow/rescan.js';
import { keyOfDestination } from '../../wallet/keys/destination.js';
import type { LegacyKeys } from '../../wallet/keys/legacy-keys.js';
import type { WalletBatch } from '../../wallet/storage/wallet-batch.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asString, hexBytes } from '../args.js';
import type { CallInfo, Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { hex } from '../render/hex.js';
import { addressText } from './addresses.js';
import { keyScripts } from './imports.js';
import { refuseScanOfPruned, scanDeps, withRescan } from './rescan.js';
import { ensureLoaded, ensureUnlocked, legacyOf, walletOf } from './select.js';

export const dumpprivkey: Run<NodeContext> = (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  ensureUnlocked(wallet);
  const text = asString(args[0]);
  const decoded = decodeAddress(text, ctx.params, ctx.crypto);
  if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Invalid Bitcoin address');
  const id = keyOfDestination(decoded.script, legacy) ?? fail(RPC_CODE.TYPE_ERROR, 'Address does not refer to a key');
  const secret = legacy.secret(id) ?? fail(RPC_CODE.WALLET_ERROR, `Private key for address ${text} is not known`);
  const wif = encodeWif({ key: secret, compressed: legacy.publicKey(id)?.length === 33 }, ctx.params, ctx.crypto);
  secret.fill(0);
  return wif;
};

/** ISO 8601 without fractions, as Core writes times. */
const isoTime = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

/** Everything but printable ASCII, and the percent sign, as %xx. */
function encodeLabel(label: string): string {
  let out = '';
  for (const byte of new TextEncoder().encode(label)) {
    out += byte <= 32 || byte >= 128 || byte === 0x25 ? `%${byte.toString(16).padStart(2, '0')}` : String.fromCharCode(byte);
  }
  return out;
}
function decodeLabel(text: string): string {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const digits = text[i] === '%' ? text.slice(i + 1, i + 3) : '';
    if (/^[0-9a-fA-F]{2}$/.test(digits)) {
      bytes.push(Number.parseInt(digits, 16));
      i += 2;
    } else bytes.push(text.charCodeAt(i));
  }
  return Buffer.from(bytes).toString('utf8');
}

/** What a key is for, as its line says it, and its addresses. */
function keyUse(ctx: NodeContext, wallet: Wallet, legacy: LegacyKeys, row: number): { use: string; addresses: string } {
  const id = legacy.keys.id(row);
  const publicKey = legacy.keys.publicKey(row)!;
  const labelled = keyScripts(ctx, publicKey).filter((script) => wallet.book.label(script) !== undefined);
  if (labelled.length > 0) {
    const label = wallet.book.label(labelled.at(-1)!) ?? '';
    return { use: `label=${encodeLabel(label)}`, addresses: labelled.map((script) => addressText(ctx, script)).join(',') };
  }
  const addresses = addressText(ctx, legacy.addressScript(row, wallet.parts.options.addressType));
  const seed = wallet.record.hd?.seedId;
  if (seed && equalBytes(seed, id)) return { use: 'hdseed=1', addresses };
  if (legacy.pool.find(id)) return { use: 'reserve=1', addresses };
  const meta = legacy.keys.metadata(row);
  if (meta?.seedId && equalBytes(meta.seedId, id)) return { use: 'inactivehdseed=1', addresses };
  return { use: 'change=1', addresses };
}

/** The dump's lines. */
async function* dumpLines(ctx: NodeContext, wallet: Wallet, legacy: LegacyKeys, slicer: Slicer): AsyncGenerator<string> {
  const tip = wallet.tip!;
  yield '# Wallet dump created by adit';
  yield `# * Created on ${isoTime(ctx.clock.nowSeconds())}`;
  yield `# * Best block at time of backup was ${tip.height} (${tip.hashHex}),`;
  yield `#   mined on ${isoTime(tip.time)}`;
  yield '';
  const seed = wallet.record.hd && legacy.secret(wallet.record.hd.seedId);
  const root = seed && masterFromSeed(seed, ctx.descriptors);
  const masterKey = root && encodeExtendedSecret(root, ctx.params, ctx.descriptors);
  root?.secret.fill(0);
  seed?.fill(0);
  if (masterKey) {
    yield `# extended private masterkey: ${masterKey}`;
    yield '';
  }
  const keys: { row: number; time: number }[] = [];
  for (const row of legacy.keys.rows()) {
    if (legacy.keys.isPrivate(row)) keys.push({ row, time: legacy.keys.metadata(row)?.time ?? 0 });
    if (slicer.due) await slicer.pause();
  }
  const inOrder = await sortInSlices(keys, (a, b) => a.time - b.time || legacy.keys.compareIds(a.row, b.row), slicer);
  for (const { row, time } of inOrder) {
    // It locked itself or was unloaded meanwhile: the file would lack keys.
    ensureUnlocked(wallet);
    ensureLoaded(wallet);
    const secret = legacy.secret(legacy.keys.id(row));
    if (secret === undefined) continue;
    const wif = encodeWif({ key: secret, compressed: legacy.keys.publicKey(row)!.length === 33 }, ctx.params, ctx.crypto);
    secret.fill(0);
    const { use, addresses } = keyUse(ctx, wallet, legacy, row);
    const origin = legacy.keys.origin(row);
    yield `${wif} ${isoTime(time)} ${use} # addr=${addresses}${origin ? ` hdkeypath=m${formatPath(origin.path)}` : ''}`;
  }
  yield '';
  const scripts: { script: Uint8Array; time: number; id: Uint8Array }[] = [];
  for (const { script, time } of legacy.allScripts()) {
    scripts.push({ script, time, id: ctx.crypto.hash160(script) });
    if (slicer.due) await slicer.pause();
  }
  for (const { script, time, id } of await sortInSlices(scripts, (a, b) => Buffer.compare(a.id, b.id), slicer)) {
    yield `${hex(script)} ${time > 0 ? isoTime(time) : '0'} script=1 # addr=${encodeScriptHash(id, ctx.params, ctx.crypto)}`;
  }
  yield '';
  yield '# End of dump';
}

export const dumpwallet: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  ensureUnlocked(wallet);
  const file = path.resolve(asString(args[0]));
  let handle: fs.FileHandle;
  try {
    handle = await fs.open(file, 'wx', 0o600);
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    return fail(
      RPC_CODE.INVALID_PARAMETER,
      exists
        ? `${file} already exists. If you are sure this is what you want, move it out of the way first`
        : 'Cannot open wallet dump file',
    );
  }
  try {
    const slicer = new Slicer(call.breathe);
    let lines: string[] = [];
    for await (const line of dumpLines(ctx, wallet, legacy, slicer)) {
      lines.push(line);
      if (!slicer.due) continue;
      await handle.writeFile(`${lines.join('\n')}\n`);
      lines = [];
      await slicer.pause();
    }
    if (lines.length > 0) await handle.writeFile(`${lines.join('\n')}\n`);
    await handle.sync();
  } catch (error) {
    await fs.rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return { filename: file };
};

/** The most a redeem script can hold. */
const MAX_SCRIPT = 520;

const parseTime = (text: string | undefined): number => {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) || ms < 0 ? 0 : Math.floor(ms / 1000);
};

/** What a line of a dump says: a private key, wiped by the caller, or a script. */
type DumpEntry =
  | { readonly secret: Uint8Array; readonly publicKey: Uint8Array; readonly label: string | undefined; readonly time: number }
  | { readonly script: Uint8Array; readonly time: number };

/** @returns null when the line says nothing */
function readLine(ctx: NodeContext, line: string): DumpEntry | null {
  if (line === '' || line.startsWith('#')) return null;
  const [first, time, ...words] = line.split(' ');
  if (words.length === 0) return null;
  const wif = decodeWif(first, ctx.params, ctx.crypto);
  if (wif) {
    const publicKey = ctx.descriptors.keys.publicKey(wif.key, wif.compressed)!;
    const label = words.find((word) => word.startsWith('label='));
    return { secret: wif.key, publicKey, label: label && decodeLabel(label.slice(6)), time: Math.max(1, parseTime(time)) };
  }
  const script = hexBytes(first);
  return script && { script, time: parseTime(time) };
}

/** Puts what a line said into the wallet. */
function importEntry(ctx: NodeContext, wallet: Wallet, legacy: LegacyKeys, entry: DumpEntry, batch: WalletBatch): void {
  if ('script' in entry) {
    legacy.importScript(entry.script, entry.time, batch);
    return;
  }
  const { secret, publicKey, label, time } = entry;
  if (legacy.hasSecret(ctx.crypto.hash160(publicKey))) return;
  legacy.importSecret(secret, publicKey, time, batch);
  if (label !== undefined) wallet.book.set(keyScripts(ctx, publicKey)[0], label, 'receive', batch);
}

/** Reads the lines of a dump in slices. @param entries receives them, also when this fails */
async function readDump(ctx: NodeContext, text: string, entries: DumpEntry[], call: CallInfo): Promise<void> {
  const slicer = new Slicer(call.breathe);
  for (const line of text.split(/\r?\n/)) {
    const entry = readLine(ctx, line);
    if (entry) entries.push(entry);
    if (slicer.due) await slicer.pause();
  }
}

export const importwallet: Run<NodeContext> = async (ctx, args, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  refuseScanOfPruned(ctx, 'Importing wallets is disabled when blocks are pruned');
  return withRescan(ctx, wallet, async () => {
    ensureUnlocked(wallet);
    const text = await fs.readFile(path.resolve(asString(args[0])), 'utf8').catch(() => null);
    if (text === null) return fail(RPC_CODE.INVALID_PARAMETER, 'Cannot open wallet dump file');
    const entries: DumpEntry[] = [];
    let since = wallet.tip!.time;
    try {
      await readDump(ctx, text, entries, call);
      if (wallet.privateKeysDisabled && entries.some((entry) => 'secret' in entry)) {
        fail(RPC_CODE.WALLET_ERROR, 'Importing wallets is disabled when private keys are disabled');
      }
      // Core adds what fits and then fails; here nothing is added by a call that fails.
      if (entries.some((entry) => 'script' in entry && entry.script.length > MAX_SCRIPT)) {
        fail(RPC_CODE.WALLET_ERROR, 'Error adding some keys/scripts to wallet');
      }
      for (const { time } of entries) if (time > 0) since = Math.min(since, time);
      await wallet.changeKeys((batch) => {
        ensureUnlocked(wallet);
        for (const entry of entries) importEntry(ctx, wallet, legacy, entry, batch);
        planRescan(wallet, since, scanDeps(ctx, wallet).chain, batch);
      });
    } finally {
      for (const entry of entries) if ('secret' in entry) entry.secret.fill(0);
    }
    wallet.hasKeyManager = true;
    const scannedTo = await rescanFrom(wallet, since, false, scanDeps(ctx, wallet));
    if (wallet.scan?.abort) fail(RPC_CODE.MISC_ERROR, 'Rescan aborted by user.');
    if (scannedTo > since) {
      fail(RPC_CODE.WALLET_ERROR, 'Rescan was unable to fully rescan the blockchain. Some transactions may be missing.');
    }
    return null;
  });
};
