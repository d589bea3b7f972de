// The check of RocksDB's write-ahead log: logs that RocksDB itself wrote, whole, torn and damaged at every kind of
// place.
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { openStore } from '../../../src/storage/open-store.js';
import { checkWriteAheadLog, crc32c } from '../../../src/storage/write-ahead-log.js';

const root = mkdtempSync(join(tmpdir(), 'adit-wal-'));
t.teardown(() => rmSync(root, { recursive: true, force: true }));
const key = (i: number): Uint8Array => Uint8Array.of(7, i >> 8, i & 255);
const ROWS = 300;
/** End of a synced batch. */
const MARK = Buffer.from('010000000005ff73796e63', 'hex');

t.test('crc32c computes the checksums of RFC 3720', async (t) => {
  const text = (what: string): Uint8Array => Buffer.from(what, 'latin1');
  t.equal(crc32c(text('123456789')), 0xe3069283);
  t.equal(crc32c(new Uint8Array(32)), 0x8a9136aa, 'RFC 3720, B.4');
  t.equal(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43);
  t.equal(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e);
  t.equal(crc32c(text('xx123456789x'), 2, 11), 0xe3069283);
  t.equal(crc32c(new Uint8Array(0)), 0);
});

t.test('tells damage inside a log from a torn end, for small and large records', async (t) => {
  const made = join(root, 'made');
  t.equal(await checkWriteAheadLog(made), null, 'no folder, no damage');
  const store = await openStore({ path: made });
  for (let i = 0; i < ROWS; i++)
    await store.batch([{ type: 'put', key: key(i), value: new Uint8Array(i % 50 === 9 ? 90_000 : 40).fill(i) }], { sync: i % 50 === 20 });
  // A close leaves the log as a kill does. An open database removes files in the background, which a copy would trip over.
  await store.close();
  const folder = join(root, 'killed');
  cpSync(made, folder, { recursive: true });
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
  t.equal(await checkWriteAheadLog(folder), null, 'preallocated space');

  const lastMark = bytes.lastIndexOf(MARK);
  t.ok(lastMark > 400_000 && lastMark < bytes.length - 1_000, 'and some more behind the last sync');
  let inside = 0;
  for (let at = 3; at < bytes.length; at += 9_973) {
    const damaged = new Uint8Array(bytes);
    damaged[at]! ^= 0x10;
    writeFileSync(log, damaged);
    const found = await checkWriteAheadLog(folder);
    if (found === null || found.at > at || found.file !== log) t.fail(`damage at ${at}`, { found });
    else if (found.inside) inside++;
    if (found?.inside !== at < lastMark) t.fail(`damage at ${at}, the last sync at ${lastMark}`, { found });
  }
  t.ok(inside > 50, 'and what lies behind it is seen');
  const damaged = new Uint8Array(bytes);
  damaged[20_000]! ^= 0x10;
  writeFileSync(log, damaged);
  t.equal(await opened(), 'STORE_CORRUPTION', 'refused unless the caller can rebuild the rest');
  const received: string[] = [];
  const rows = await opened({ onLogDamage: (text) => received.push(text) });
  t.ok(typeof rows === 'number' && rows === 9, `as it was before: ${rows} rows`);
  t.match(received, [/copy\S+\.log is damaged at byte \d+; what was written after that is lost/]);

  // A second log behind a damaged end.
  damaged[20_000]! ^= 0x10;
  damaged[bytes.length - 5]! ^= 0x10;
  writeFileSync(log, damaged);
  t.match(await checkWriteAheadLog(folder), { inside: false });
  t.equal(await opened(), ROWS - 1, 'the last record alone may be what a loss of power cost');
  writeFileSync(join(folder, `${String(Number.parseInt(name!, 10) + 1).padStart(6, '0')}.log`), bytes.subarray(0, statSync(log).size));
  t.match(await checkWriteAheadLog(folder), { inside: true });
});

/** A log as a process that was killed leaves it. @param synced the rows whose batch is synced */
async function written(
  name: string,
  rows: number,
  synced: (row: number) => boolean,
  marked = true,
): Promise<{ folder: string; log: string; bytes: Buffer }> {
  const made = join(root, `${name}-made`);
  const store = await openStore({ path: made, ...(!marked && { onLogDamage: () => {} }) });
  for (let i = 0; i < rows; i++)
    await store.batch([{ type: 'put', key: key(i), value: new Uint8Array(500).fill(1 + (i % 250)) }], { sync: synced(i) });
  await store.close();
  const folder = join(root, name);
  cpSync(made, folder, { recursive: true });
  const [file] = readdirSync(folder).filter((one) => /^\d+\.log$/.test(one));
  const log = join(folder, file!);
  return { folder, log, bytes: readFileSync(log) };
}

/** How many rows from the first on are there, and none after them; or why the folder is refused. */
async function rowsIn(folder: string, rows: number): Promise<number | string> {
  const copy = join(root, 'rows');
  rmSync(copy, { recursive: true, force: true });
  cpSync(folder, copy, { recursive: true });
  try {
    const store = await openStore({ path: copy });
    const values = await store.getMany(Array.from({ length: rows }, (_, i) => key(i)));
    await store.close();
    const count = values.filter((value) => value !== undefined).length;
    return values.findLastIndex((value) => value !== undefined) === count - 1 ? count : 'with a gap';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** Every page (or sector) from a place on is on the disk or not, each by itself. */
const withoutPages = (bytes: Buffer, from: number, lost: (page: number) => boolean, size = 4096): Buffer => {
  const image = Buffer.from(bytes);
  for (let page = Math.floor(from / size); page * size < bytes.length; page++)
    if (lost(page)) image.fill(0, Math.max(from, page * size), Math.min(bytes.length, (page + 1) * size));
  return image;
};

t.test('retains synced records whatever pages of the unsynced end a power loss drops', async (t) => {
  const rows = 400;
  const { folder, log, bytes } = await written('reordered', rows, (row) => row === 150);
  const mark = bytes.lastIndexOf(MARK);
  const end = mark + MARK.length;
  const pages = Math.ceil(bytes.length / 4096);
  for (let seed = 1; seed <= 40; seed++) {
    let state = seed;
    const some = withoutPages(bytes, end, () => {
      state = (state * 1103515245 + 12345) & 0x7fffffff;
      return (state >> 16) % 3 === 0;
    });
    writeFileSync(log, some);
    const found = await rowsIn(folder, rows);
    if (!(typeof found === 'number' && found >= 151)) t.fail(`pages by ${seed}`, { found });
  }
  for (let page = Math.floor(end / 4096); page < pages; page++) {
    writeFileSync(
      log,
      withoutPages(bytes, end, (one) => one === page),
    );
    const found = await rowsIn(folder, rows);
    if (!(typeof found === 'number' && found >= 151)) t.fail(`without page ${page}`, { found });
  }
  // Data that fsync had promised is lost, also if the zeros begin with a record.
  for (let page = 0; (page + 1) * 4096 <= mark; page++) {
    writeFileSync(
      log,
      withoutPages(bytes, 0, (one) => one === page),
    );
    t.equal(await rowsIn(folder, rows), 'STORE_CORRUPTION', `page ${page}`);
  }
});

t.test('retains earlier records when power is lost while a batch is synced', async (t) => {
  const rows = 300;
  const { folder, log, bytes } = await written('syncing', rows, (row) => row === 100 || row === rows - 1);
  const first = bytes.indexOf(MARK, 100) + MARK.length;
  const last = bytes.lastIndexOf(MARK);
  t.equal(last + MARK.length, bytes.length);
  for (const [size, step] of [
    [4096, 3],
    [512, 17],
  ] as const) {
    for (let page = Math.ceil(first / size); (page + 1) * size < last; page += step) {
      writeFileSync(
        log,
        withoutPages(bytes, 0, (one) => one === page, size),
      );
      const found = await rowsIn(folder, rows);
      if (!(typeof found === 'number' && found >= 101 && found < rows)) t.fail(`without ${size} bytes ${page}`, { found });
    }
  }
  // The page was written, so its bytes are wrong for another reason.
  const damaged = Buffer.from(bytes);
  damaged[first + 5_000]! ^= 0x10;
  writeFileSync(log, damaged);
  t.equal(await rowsIn(folder, rows), 'STORE_CORRUPTION');
});

t.test('reports damage in a log without sync marks as inside the log', async (t) => {
  const { folder, log, bytes } = await written('unmarked', 200, () => false, false);
  t.equal(bytes.indexOf(MARK), -1);
  t.equal(await checkWriteAheadLog(folder), null);
  const damaged = Buffer.from(bytes);
  damaged[20_000]! ^= 0x10;
  writeFileSync(log, damaged);
  t.match(await checkWriteAheadLog(folder), { inside: true });
});

t.test('treats a new log without sync marks as one with marks if its folder says so', async (t) => {
  const made = join(root, 'full-made');
  // As an earlier version left it.
  await (await openStore({ path: made, onLogDamage: () => {} })).close();
  t.notMatch(readFileSync(join(made, 'ENGINE'), 'latin1'), 'marks');
  const store = await openStore({ path: made, writeBufferBytes: 1 << 20 });
  t.match(readFileSync(join(made, 'ENGINE'), 'latin1'), 'marks: yes\n');
  const logs = (): string[] =>
    readdirSync(made)
      .filter((one) => /^\d+\.log$/.test(one))
      .sort();
  const [first] = logs();
  let rows = 0;
  const write = async (): Promise<void> => store.batch([{ type: 'put', key: key(rows++), value: new Uint8Array(1_000).fill(1) }]);
  for (; logs().includes(first!); await turn()) await write();
  const newest = logs().at(-1);
  for (let i = 0; i < 40 || logs().at(-1) === newest; i++) await write();
  for (let i = 0; i < 40; i++) await write();
  await store.close();
  const log = join(made, logs().at(-1)!);
  const bytes = readFileSync(log);
  t.equal(bytes.indexOf(MARK), -1, 'it has none yet');
  for (let page = 0; (page + 1) * 4096 < bytes.length; page++) {
    writeFileSync(
      log,
      withoutPages(bytes, 0, (one) => one === page),
    );
    const found = await rowsIn(made, rows);
    if (!(typeof found === 'number' && found > 0 && found < rows)) t.fail(`without page ${page}`, { found, rows });
  }
});

t.test('opens a log with a damaged end after a kill while it was being recovered', async (t) => {
  const { folder, log, bytes } = await written('taken', 200, () => false, false);
  bytes[bytes.length - 300]! ^= 0x10;
  writeFileSync(log, bytes);
  // RocksDB has begun the next log and not removed this one.
  const next = join(root, 'taken-next');
  cpSync(folder, next, { recursive: true });
  const store = await openStore({ path: next, onLogDamage: () => {} });
  const begun = readdirSync(next).find((one) => /^\d+\.log$/.test(one) && join(folder, one) !== log);
  cpSync(join(next, begun!), join(folder, begun!));
  await store.close();
  t.ok(statSync(join(folder, begun!)).size > 0, 'something stands in it');
  t.match(await checkWriteAheadLog(folder), { file: log, inside: false });
  t.equal(await rowsIn(folder, 200), 199);
});

t.test('finds a sync mark that crosses the end of a log block', async (t) => {
  // A record of 1,000 bytes takes 1,026. Row 31 ends so many bytes before the first block does, and its mark follows.
  let parted = 0;
  for (let beyond = 0; beyond < 40; beyond++) {
    const folder = join(root, 'parted-one');
    rmSync(folder, { recursive: true, force: true });
    const one = await openStore({ path: folder });
    const fill = 32_768 - 31 * 1_026 - 26 - beyond;
    for (let i = 0; i < 31; i++) await one.batch([{ type: 'put', key: key(i), value: new Uint8Array(1_000).fill(1) }]);
    await one.batch([{ type: 'put', key: key(31), value: new Uint8Array(fill).fill(1) }], { sync: true });
    await one.batch([{ type: 'put', key: key(32), value: new Uint8Array(10).fill(1) }]);
    await one.close();
    const [file] = readdirSync(folder).filter((name) => /^\d+\.log$/.test(name));
    const bytes = readFileSync(join(folder, file!));
    if (bytes.indexOf(MARK, 1_000) < 0) parted++;
    bytes[2_000]! ^= 0x10;
    writeFileSync(join(folder, file!), bytes);
    if ((await checkWriteAheadLog(folder))?.inside !== true) t.fail(`${beyond} bytes`, { length: bytes.length });
  }
  t.ok(parted >= 10, `${parted} in two parts`);
});
