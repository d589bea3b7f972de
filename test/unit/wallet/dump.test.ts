// Tests dumpwallet and importwallet: private keys are held only as bytes, which are overwritten afterwards, and the
// work is done in slices.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { encodeExtendedSecretAscii } from '../../../src/address/bip32/extended-codec.js';
import { masterFromSeed } from '../../../src/address/bip32/extended-key.js';
import { encodeWifAscii } from '../../../src/address/wif.js';
import { dumpwallet } from '../../../src/rpc/methods/wallet/dumpwallet.js';
import { importwallet } from '../../../src/rpc/methods/wallet/importwallet.js';
import { eachLine } from '../../../src/rpc/wallet/dump-reader.js';
import { DumpWriter } from '../../../src/rpc/wallet/dump-writer.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { fc } from '../../framework/fast-check.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { turnsDuring } from '../../framework/turns.js';
import { encrypt, rowsOf, run } from '../../framework/wallet-calls.js';

const context = descriptorContext('master', 'regtest');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-dump-'));
t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }));

/** A private key in WIF, as ASCII. */
const wifOf = (n: number): Uint8Array => {
  const key = new Uint8Array(32).fill(1);
  new DataView(key.buffer).setUint32(4, n);
  return encodeWifAscii({ key, compressed: true }, context.params, crypto);
};

/** Wraps a method of a file so that its first arguments are recorded in `given`. */
const spied = (method: (...args: unknown[]) => unknown, given: unknown[]) =>
  function (this: unknown, ...args: unknown[]): unknown {
    given.push(args[0]);
    return method.apply(this, args);
  };

t.test('reads lines of any length without comments, and overwrites them afterwards', async (_t) => {
  const line = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', '#', ' ', '\r', 'é'), maxLength: 8 }),
    fc.constantFrom('#'.repeat(70_000), 'x'.repeat(140_000), `# ${'x'.repeat(200_000)}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.infiniteStream(fc.integer({ min: 1, max: 90_000 })), async (lines, sizes) => {
      const whole = Buffer.from(lines.join('\n'));
      let at = 0;
      const read = async (into: Uint8Array, offset: number, length: number) => {
        const bytesRead = whole.copy(into, offset, at, at + Math.min(length, sizes.next().value as number));
        at += bytesRead;
        return { bytesRead, buffer: into };
      };
      const seen: string[] = [];
      const views: Uint8Array[] = [];
      const all = await eachLine({ read: read as never }, (view) => {
        seen.push(Buffer.from(view).toString());
        views.push(view);
        return undefined;
      });
      const expected = lines.filter((text) => !text.startsWith('#')).map((text) => text.replace(/\r$/, ''));
      const overwritten = views.every((view) => view.every((byte) => byte === 0));
      return all && overwritten && JSON.stringify(seen) === JSON.stringify(lines.length === 0 ? [''] : expected);
    }),
    { numRuns: 30 },
  );
});

t.test('overwrites dump lines and their buffers after writing', async (t) => {
  const written: string[] = [];
  const views: Uint8Array[] = [];
  const out = new DumpWriter({
    writeFile: async (data) => {
      written.push(Buffer.from(data as Uint8Array).toString());
      views.push(data as Uint8Array);
    },
  });
  const secret = Uint8Array.from(Buffer.from('secret'));
  out.writeLine(secret, ' for ', 'ü');
  out.writeLine('long '.repeat(30_000));
  t.same(secret, new Uint8Array(6));
  await out.flush();
  out.writeLine('end');
  await out.flush();
  t.equal(written.join(''), `secret for ü\n${'long '.repeat(30_000)}\nend\n`);
  t.ok(views.every((view) => view.every((byte) => byte === 0)));
});

t.test('dumpwallet and importwallet overwrite the buffers that held private keys', async (t) => {
  const { wallet } = await createMemoryWallet({ wallet: { keypool: 300 } });
  const seed = wallet.legacy!.secret(wallet.record.hd!.seedId)!;
  const wifs = [...wallet.legacy!.keys.rows()].map((row) => {
    const key = wallet.legacy!.secret(wallet.legacy!.keys.id(row))!;
    return encodeWifAscii({ key, compressed: true }, context.params, crypto);
  });
  const secrets = [encodeExtendedSecretAscii(masterFromSeed(seed, context)!, context.params, context), ...wifs];
  const file = path.join(folder, 'dump');
  const passed: unknown[] = [];
  const handle = await fs.promises.open(file, 'w');
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  fs.rmSync(file);
  t.intercept(prototype, 'writeFile', { value: spied(prototype.writeFile, passed) });
  t.intercept(prototype, 'read', { value: spied(prototype.read, passed) });
  t.intercept(fs.promises, 'readFile', { value: () => t.fail('all of it at once') });
  const overwritten = (): boolean => passed.every((data) => data instanceof Uint8Array && data.every((byte) => byte === 0));

  await run(wallet, dumpwallet, file);
  t.ok(passed.length > 0 && overwritten(), 'dumped');
  const dump = fs.readFileSync(file);
  t.ok(secrets.every((secret) => dump.indexOf(secret) >= 0));
  passed.length = 0;
  const { wallet: other } = await createMemoryWallet();
  await run(other, importwallet, file);
  t.ok(passed.length > 0 && overwritten(), 'imported');
  for (const row of wallet.legacy!.keys.rows()) t.ok(other.legacy!.hasSecret(wallet.legacy!.keys.id(row)));
});

t.test('importwallet reads a large file in portions through one buffer', async (t) => {
  const file = path.join(folder, 'large');
  const padding = Buffer.from(`${'# filling\n'.repeat(6_000)}\n`);
  const out = fs.openSync(file, 'w');
  for (let i = 0; i < 500; i++) fs.writeSync(out, padding);
  fs.writeSync(out, Buffer.concat([wifOf(5), Buffer.from(' 2020-01-01T00:00:00Z label=five # addr=x\n')]));
  fs.closeSync(out);
  const { wallet } = await createMemoryWallet();
  // All reads of the file must use one buffer of a fixed size.
  const handle = await fs.promises.open(file);
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const passed: unknown[] = [];
  t.intercept(prototype, 'read', { value: spied(prototype.read, passed) });
  for (const whole of ['readFile', 'readv', 'readLines', 'createReadStream', 'readableWebStream'])
    t.intercept(prototype, whole, { value: () => t.fail(`${whole}: all of it at once`) });
  t.intercept(fs.promises, 'readFile', { value: () => t.fail('all of it at once') });
  await run(wallet, importwallet, file);
  const buffers = new Set(passed.map((bytes) => (bytes as Uint8Array).buffer));
  t.ok(passed.length > 450, `${passed.length} portions`);
  t.same(
    [...buffers].map(({ byteLength }) => byteLength),
    [65_536],
  );
  t.equal(wallet.legacy!.keys.rowCount, (await createMemoryWallet()).wallet.legacy!.keys.rowCount + 1);
});

t.test('importwallet rejects a line of megabytes, but accepts a comment of any length', async (t) => {
  const file = path.join(folder, 'endless');
  const { wallet } = await createMemoryWallet();
  const { rowCount } = wallet.legacy!.keys;
  const key = Buffer.concat([wifOf(7), Buffer.from(' 2020-01-01T00:00:00Z label=seven # addr=x\n')]);
  fs.writeFileSync(file, Buffer.concat([key, Buffer.alloc(3_000_000, 0x61)]));
  await t.rejects(run(wallet, importwallet, file), { code: -4, message: 'Error adding some keys/scripts to wallet' });
  t.equal(wallet.legacy!.keys.rowCount, rowCount, 'nothing of it was imported');
  fs.writeFileSync(file, Buffer.concat([key, Buffer.from('#'), Buffer.alloc(3_000_000, 0x61)]));
  t.equal(await run(wallet, importwallet, file), null, 'comments may be of any length');
  t.equal(wallet.legacy!.keys.rowCount, rowCount + 1);
  await t.rejects(run(wallet, importwallet, folder), { code: -8, message: 'Cannot open wallet dump file' });
});

/** A dump of many keys and scripts. */
function manyLines(count: number): Buffer {
  const lines: Uint8Array[] = [];
  for (let i = 0; i < count; i++) {
    lines.push(
      wifOf(100 + i),
      Buffer.from(` 2020-01-01T00:00:00Z label=${i % 7} # addr=x\n51${i.toString(16).padStart(8, '0')} 0 script=1\n`),
    );
  }
  return Buffer.concat(lines);
}

t.test('importwallet of a large dump yields to other work', async (t) => {
  const file = path.join(folder, 'many');
  fs.writeFileSync(file, manyLines(1500));
  const { wallet } = await createMemoryWallet();
  const { wallet: other } = await createMemoryWallet();
  const before = [await rowsOf(wallet), await rowsOf(other)];
  const turns = await turnsDuring(() => run(wallet, importwallet, file));
  t.ok(turns > 10, `${turns} turns`);
  for (let i = 0; i < 3; i++) {
    const part = path.join(folder, `part${i}`);
    fs.writeFileSync(
      part,
      Buffer.from(
        manyLines(1500)
          .toString()
          .split('\n')
          .slice(i * 1000, (i + 1) * 1000)
          .join('\n'),
      ),
    );
    await run(other, importwallet, part);
  }
  const rows = await rowsOf(wallet, before[0]);
  t.ok(rows.length >= 3 * 1500);
  t.strictSame(rows, await rowsOf(other, before[1]));
});

t.test('importwallet imports nothing if the wallet is locked or closed while it reads the file', async (t) => {
  const file = path.join(folder, 'interrupted');
  fs.writeFileSync(file, manyLines(1000));
  for (const act of ['lock', 'close'] as const) {
    const { wallet } = await createMemoryWallet();
    encrypt(wallet);
    const before = wallet.legacy!.keys.rowCount;
    const imported = turnsDuring(
      () => run(wallet, importwallet, file),
      () => (act === 'lock' ? wallet.encryption.lock() : wallet.close()),
    );
    await t.rejects(imported, { code: act === 'lock' ? -13 : -18 });
    t.equal(wallet.legacy!.keys.rowCount, before, act);
  }
});
