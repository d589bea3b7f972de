// Core 0.21: wallet/rpcdump.cpp.

import fs from 'node:fs/promises';
import path from 'node:path';
import { encodeScriptHash } from '../../../address/address.js';
import { encodeExtendedSecretAscii } from '../../../address/bip32/extended-codec.js';
import { masterFromSeed } from '../../../address/bip32/extended-key.js';
import { formatPath } from '../../../address/bip32/key-path.js';
import { encodeWifAscii } from '../../../address/wif.js';
import { equalBytes } from '../../../consensus/bytes/hex.js';
import { type LegacyKeys, type Wallet, writeWholeFile } from '../../../wallet/index.js';
import type { WalletContext, WalletRun } from '../../context/wallet.js';
import { declare } from '../../declare/parameters.js';
import { obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesHex } from '../../render/hex.js';
import { addressText } from '../../wallet/addresses.js';
import { encodeLabel } from '../../wallet/dump-reader.js';
import { DumpWriter } from '../../wallet/dump-writer.js';
import { keyScripts } from '../../wallet/imports.js';
import { ensureLoaded, ensureUnlocked, legacyOf, walletOf } from '../../wallet/select.js';

export const spec = declare({
  name: 'dumpwallet',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'keys',
  description:
    'Writes every private key and script of a legacy wallet to a text file. The file must not exist. Anyone who can\nread the file can spend the coins.',
  args: [str('filename', 'The file')],
  results: [obj([str('filename', 'Absolute path of the file')])],
  examples: [{ cli: '"test"', rpc: '"test"' }],
  waits: true,
});

/** Formats a time as Core does: ISO 8601 without fractions of a second. */
const isoTime = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

/** Returns the purpose of a key, as its line in the dump states it, and its addresses. */
function keyUse(ctx: WalletContext, wallet: Wallet, legacy: LegacyKeys, row: number): { use: string; addresses: string } {
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

/** Writes the lines of the dump in slices. */
async function writeDump(ctx: WalletContext, wallet: Wallet, legacy: LegacyKeys, out: DumpWriter): Promise<void> {
  const tip = wallet.tip!;
  out.writeLine('# Wallet dump created by adit');
  out.writeLine(`# * Created on ${isoTime(ctx.clock.nowSeconds())}`);
  out.writeLine(`# * Best block at time of backup was ${tip.height} (${tip.hashHex}),`);
  out.writeLine(`#   mined on ${isoTime(tip.time)}`);
  out.writeLine('');
  const seed = wallet.record.hd && legacy.secret(wallet.record.hd.seedId);
  const root = seed && masterFromSeed(seed, ctx.descriptors);
  if (root) {
    out.writeLine('# extended private masterkey: ', encodeExtendedSecretAscii(root, ctx.params, ctx.descriptors));
    out.writeLine('');
    root.secret.fill(0);
  }
  seed?.fill(0);
  const keys: { row: number; time: number }[] = [];
  for (const row of legacy.keys.rows()) {
    if (legacy.keys.isPrivate(row)) keys.push({ row, time: legacy.keys.metadata(row)?.time ?? 0 });
  }
  keys.sort((a, b) => a.time - b.time || legacy.keys.compareIds(a.row, b.row));
  for (const { row, time } of keys) {
    // Fail if the wallet was locked or unloaded meanwhile, because the file would lack keys.
    ensureUnlocked(wallet);
    ensureLoaded(wallet);
    const secret = legacy.secret(legacy.keys.id(row));
    if (secret === undefined) continue;
    const wif = encodeWifAscii({ key: secret, compressed: legacy.keys.publicKey(row)!.length === 33 }, ctx.params, ctx.crypto);
    secret.fill(0);
    const { use, addresses } = keyUse(ctx, wallet, legacy, row);
    const origin = legacy.keys.origin(row);
    out.writeLine(wif, ` ${isoTime(time)} ${use} # addr=${addresses}${origin ? ` hdkeypath=m${formatPath(origin.path)}` : ''}`);
    await out.flushWhenDue();
  }
  out.writeLine('');
  const scripts: { script: Uint8Array; time: number; id: Uint8Array }[] = [];
  for (const { script, time } of legacy.allScripts()) {
    scripts.push({ script, time, id: ctx.crypto.hash160(script) });
  }
  for (const { script, time, id } of scripts.sort((a, b) => Buffer.compare(a.id, b.id))) {
    out.writeLine(`${bytesHex(script)} ${time > 0 ? isoTime(time) : '0'} script=1 # addr=${encodeScriptHash(id, ctx.params, ctx.crypto)}`);
    await out.flushWhenDue();
  }
  out.writeLine('');
  out.writeLine('# End of dump');
  await out.flush();
}

export const dumpwallet: WalletRun<typeof spec> = async (params, ctx, call) => {
  const wallet = walletOf(ctx, call);
  const legacy = legacyOf(wallet);
  ensureUnlocked(wallet);
  const file = path.resolve(params.filename);
  const exists = `${file} already exists. If you are sure this is what you want, move it out of the way first`;
  if (await fs.lstat(file).catch(() => null)) fail(RPC_CODE.INVALID_PARAMETER, exists);
  try {
    await writeWholeFile(file, false, async (handle) => {
      const out = new DumpWriter(handle);
      try {
        await writeDump(ctx, wallet, legacy, out);
      } finally {
        out.wipe();
      }
    });
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') fail(RPC_CODE.INVALID_PARAMETER, exists);
    if (syscall === 'open') fail(RPC_CODE.INVALID_PARAMETER, 'Cannot open wallet dump file');
    throw error;
  }
  return { filename: file };
};
