// Scanning files of blocks: raw, with damage, with a key, and as lines of hex.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { type ScannedBlock, type ScanOptions, scanBlocks } from '../../../src/storage/scan-blocks.js';

const root = mkdtempSync(join(tmpdir(), 'adit-scan-'));
t.teardown(() => rmSync(root, { recursive: true, force: true }));
const MAGIC = Uint8Array.of(0xf9, 0xbe, 0xb4, 0xd9);
const block = (length: number, seed: number): Buffer => Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 13 + seed) & 0x7f));
const record = (payload: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.set(MAGIC);
  head.writeUInt32LE(payload.length, 4);
  return Buffer.concat([head, payload]);
};
let files = 0;
function save(...parts: (Buffer | string)[]): string {
  const path = join(root, `file${files++}.dat`);
  writeFileSync(path, Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))));
  return path;
}
async function collect(scanned: AsyncIterable<ScannedBlock>): Promise<[number, string][]> {
  const found: [number, string][] = [];
  for await (const { pos, bytes } of scanned) found.push([pos, Buffer.from(bytes).toString('hex')]);
  return found;
}
const scan = (path: string, options: Partial<ScanOptions> = {}) => collect(scanBlocks(path, { magic: MAGIC, ...options }));

t.test('finds all records of a file in their order', async (t) => {
  const blocks = Array.from({ length: 50 }, (_, i) => block(80 + i * 37, i));
  const found = await scan(save(...blocks.map(record)));
  t.same(
    found.map(([, hex]) => hex),
    blocks.map((b) => b.toString('hex')),
  );
  t.equal(found[1][0], 8 + 80 + 8);
  t.same(await scan(save('')), []);
  t.same(await scan(save('short')), []);
  await t.rejects(scan(join(root, 'nowhere.dat')), { code: 'STORE_NOT_FOUND' });
});

t.test('continues at the next record behind damaged bytes', async (t) => {
  const [a, b, c] = [block(500, 1), block(600, 2), block(700, 3)];
  const hex = (...blocks: Buffer[]) => blocks.map((x) => x.toString('hex'));
  const found = async (...parts: (Buffer | string)[]) => (await scan(save(...parts))).map(([, text]) => text);
  t.same(await found('garbage ', record(a), Buffer.alloc(5000), record(b), '\xf9\xbe\xb4', record(c)), hex(a, b, c));
  t.same(await found(record(a), record(b).subarray(0, 300)), hex(a), 'a half record at the end');
  t.same(await found(Buffer.from(MAGIC), Buffer.from([255, 255, 255, 255]), record(b)), hex(b), 'an impossible length');
  t.same(await found(Buffer.from(MAGIC), Buffer.from([10, 0, 0, 0]), record(b)), hex(b), 'shorter than a header');
  t.same(await found(Buffer.from(MAGIC), Buffer.from([0, 9, 61, 0]), record(a), record(b)), hex(a, b), 'a length that goes beyond the end');
  const lying = Buffer.concat([Buffer.from(MAGIC), Buffer.from([0, 2, 0, 0]), block(100, 9), record(a), record(b)]);
  t.same(
    (await scan(save(lying), { parses: (bytes) => bytes.length === 500 || bytes.length === 600 })).map(([, text]) => text),
    hex(a, b),
    'what does not parse is searched',
  );
});

t.test('reads nothing as a whole that does not begin like a block', async (t) => {
  const magics = Buffer.concat(Array.from({ length: 3_000 }, () => Buffer.concat([MAGIC, Buffer.from([0, 9, 61, 0])])));
  const last = block(500, 1);
  const path = save(magics, record(last));
  for (const headBytes of [89, undefined]) {
    let begun = 0;
    const parsed: number[] = [];
    const options = {
      begins: (head: Uint8Array): boolean => {
        begun++;
        return last.subarray(0, 80).equals(head.subarray(0, 80));
      },
      parses: (bytes: Uint8Array): boolean => parsed.push(bytes.length) > 0,
      ...(headBytes === undefined ? {} : { headBytes }),
    };
    const found = await scan(path, options);
    t.same(
      found.map(([, text]) => text),
      [last.subarray(0, headBytes).toString('hex')],
    );
    t.ok(begun > 2_900, `${begun} payloads`);
    t.same(parsed, [500]);
  }
});

t.test('reads only the heads of blocks that another record follows', async (t) => {
  const blocks = Array.from({ length: 12 }, (_, i) => block(i % 3 === 0 ? 80 + i : 10_000 * i + 90, i));
  const lying = Buffer.concat([Buffer.from(MAGIC), Buffer.from([0, 2, 0, 0]), block(100, 9)]);
  const path = save(...blocks.slice(0, 6).map(record), lying, ...blocks.slice(6).map(record));
  const asked: number[] = [];
  const parses = (bytes: Uint8Array): boolean => {
    asked.push(bytes.length);
    return bytes.length !== 512;
  };
  const found: [number, string][] = [];
  for await (const { length, bytes } of scanBlocks(path, { magic: MAGIC, headBytes: 89, parses }))
    found.push([length, Buffer.from(bytes).toString('hex')]);
  t.same(
    found,
    blocks.map((one) => [one.length, one.subarray(0, 89).toString('hex')]),
  );
  t.same(asked, [512, blocks[11]!.length], 'whole ones before other bytes, and at the end');
});

t.test('finds records across the edges of the read window', async (t) => {
  const blocks = Array.from({ length: 12 }, (_, i) => block(400_000 + i * 100_003, i));
  const path = save(...blocks.map(record), Buffer.alloc(3_000_000), record(block(90, 5)));
  let index = 0;
  for await (const { bytes } of scanBlocks(path, { magic: MAGIC })) {
    const expected = blocks[index++] ?? block(90, 5);
    t.ok(expected.equals(bytes), `block ${index}`);
  }
  t.equal(index, 13);
});

t.test('finds records in a file under an XOR key', async (t) => {
  const key = Buffer.from('0102030405060708', 'hex');
  const plain = Buffer.concat([record(block(100, 1)), Buffer.from('x'), record(block(200, 2))]);
  const hidden = Buffer.from(plain.map((byte, i) => byte ^ key[i % 8]));
  t.equal((await scan(save(hidden))).length, 0);
  t.equal((await scan(save(hidden), { xorKey: key })).length, 2);
  const dir = mkdtempSync(join(root, 'keyed-'));
  writeFileSync(join(dir, 'xor.dat'), key);
  writeFileSync(join(dir, 'blk00000.dat'), hidden);
  t.equal((await scan(join(dir, 'blk00000.dat'))).length, 2, 'the key in the folder of the file');
  t.equal((await scan(join(dir, 'blk00000.dat'), { xorKey: null })).length, 0);
});

t.test('reads blocks from lines of hex, and names the line with an error', async (t) => {
  const [a, b] = [block(81, 1), block(2_000_000, 2)];
  const text = `${a.toString('hex')}\n\r\n${b.toString('hex').toUpperCase()}\r\n\n${a.toString('hex')}`;
  const found = await scan(save(text));
  t.same(
    found.map(([, hex]) => hex.length),
    [162, 4_000_000, 162],
  );
  t.equal(found[1][1], b.toString('hex'));
  t.same(
    found.map(([pos]) => pos),
    [0, 165, 165 + 4_000_000 + 3],
  );
  t.same(
    (await scan(save(`${a.toString('hex')}\n00\nff`))).slice(1).map(([, hex]) => hex),
    ['00', 'ff'],
  );
  await t.rejects(scan(save(`${a.toString('hex')}\n0g\n`)), { code: 'STORE_FORMAT', message: /line 2/ });
  await t.rejects(scan(save(`${a.toString('hex')}0\n`)), { code: 'STORE_FORMAT', message: /line 1/ });
  await t.rejects(scan(save('0'.repeat(9_000_000))), { code: 'STORE_FORMAT', message: /longer than any block/ });
});

const vectors = join(process.env.VECTORS ?? join(process.cwd(), '../shared/vectors'), 'chains');
t.test('finds all blocks of the shared chain vectors', { skip: existsSync(vectors) ? false : 'no vectors here' }, async (t) => {
  t.equal((await scan(join(vectors, 'main-1-180.hex'))).length, 180);
  t.equal((await scan(join(vectors, 'signet-0-60.hex'))).length, 61);
});
