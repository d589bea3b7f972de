// The check of RocksDB's write-ahead log: logs that RocksDB itself wrote, whole, torn and damaged at every kind of place.
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { crc32c } from '../../../src/storage/codec/crc32c.js';
import { openStore } from '../../../src/storage/open-store.js';
import { checkWriteAheadLog } from '../../../src/storage/write-ahead-log.js';

const root = mkdtempSync(join(tmpdir(), 'adit-wal-'));
t.teardown(() => rmSync(root, { recursive: true, force: true }));
const key = (i: number): Uint8Array => Uint8Array.of(7, i >> 8, i & 255);
const ROWS = 300;

t.test('crc32c', async (t) => {
  const text = (what: string): Uint8Array => Buffer.from(what, 'latin1');
  t.equal(crc32c(text('123456789')), 0xe3069283);
  t.equal(crc32c(new Uint8Array(32)), 0x8a9136aa, 'RFC 3720, B.4');
  t.equal(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43);
  t.equal(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e);
  t.equal(crc32c(text('xx123456789x'), 2, 11), 0xe3069283);
  t.equal(crc32c(new Uint8Array(0)), 0);
});

t.test('a log of many small and some large records', async (t) => {
  const made = join(root, 'made');
  t.equal(await checkWriteAheadLog(made), null, 'no folder, no damage');
  const store = await openStore({ path: made });
  for (let i = 0; i < ROWS; i++)
    await store.batch([{ type: 'put', key: key(i), value: new Uint8Array(i % 50 === 9 ? 90_000 : 40).fill(i) }]);
  // As a killed process leaves it.
  const folder = join(root, 'killed');
  cpSync(made, folder, { recursive: true });
  await store.close();
  const [name] = readdirSync(folder).filter((one) => /^\d+\.log$/.test(one));
  const log = join(folder, name!);
  const bytes = readFileSync(log);
  t.ok(bytes.length > 500_000, 'some blocks of the log');
  const opened = async (options: { onLogDamage?: (text: string) => void } = {}): Promise<number | string> => {
    const copy = join(root, 'copy');
    rmSync(copy, { recursive: true, force: true });
    cpSync(folder, copy, { recursive: true });
    return openStore({ path: copy, ...options }).then(
      async (one) => {
        const found = (await one.getMany(Array.from({ length: ROWS }, (_, i) => key(i)))).filter((value) => value !== undefined).length;
        await one.close();
        return found;
      },
      (error) => error.code,
    );
  };
  t.equal(await checkWriteAheadLog(folder), null);
  t.equal(await opened(), ROWS);

  for (const cut of [1, 6, 30, 45, 100]) {
    truncateSync(log, bytes.length - cut);
    t.equal(await checkWriteAheadLog(folder), null, `${cut} bytes short: what a kill leaves`);
  }
  t.ok(Number(await opened()) >= ROWS - 3, 'and opens without a word');
  writeFileSync(log, bytes);
  appendFileSync(log, new Uint8Array(70_000));
  t.equal(await checkWriteAheadLog(folder), null, 'room that was reserved');

  let inside = 0;
  for (let at = 3; at < bytes.length; at += 9_973) {
    const damaged = new Uint8Array(bytes);
    damaged[at]! ^= 0x10;
    writeFileSync(log, damaged);
    const found = await checkWriteAheadLog(folder);
    if (found === null || found.at > at || found.file !== log) t.fail(`damage at ${at}`, { found });
    else if (found.inside) inside++;
  }
  t.ok(inside > 50, 'and what lies behind it is seen');
  const damaged = new Uint8Array(bytes);
  damaged[20_000]! ^= 0x10;
  writeFileSync(log, damaged);
  t.equal(await opened(), 'STORE_CORRUPTION', 'refused unless somebody can make the rest again');
  const told: string[] = [];
  const rows = await opened({ onLogDamage: (text) => told.push(text) });
  t.ok(typeof rows === 'number' && rows === 9, `as it was before: ${rows} rows`);
  t.match(told, [/copy\S+\.log is damaged at byte \d+; what was written after that is lost/]);

  // A second log behind a damaged end.
  damaged[20_000]! ^= 0x10;
  damaged[bytes.length - 5]! ^= 0x10;
  writeFileSync(log, damaged);
  t.match(await checkWriteAheadLog(folder), { inside: false });
  t.equal(await opened(), ROWS - 1, 'the last record alone may be what a loss of power cost');
  writeFileSync(join(folder, `${String(Number.parseInt(name!, 10) + 1).padStart(6, '0')}.log`), bytes.subarray(0, statSync(log).size));
  t.match(await checkWriteAheadLog(folder), { inside: true });
});
