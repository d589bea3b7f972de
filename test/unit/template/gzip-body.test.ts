import { crc32, gunzipSync } from 'node:zlib';
import t from 'tap';
import { combineCrc, deflatePart, gzipAround } from '../../../src/template/view/gzip-body.js';

t.test('combineCrc joins the checksums of two parts', async (t) => {
  const text = Buffer.from('123456789');
  for (let cut = 0; cut <= 9; cut++) {
    t.equal(combineCrc(crc32(text.subarray(0, cut)), crc32(text.subarray(cut)), 9 - cut), 0xcbf43926, `cut at ${cut}`);
  }
});

t.test('gzipAround wraps a deflated part into a valid gzip member', async (t) => {
  const middles = [
    Buffer.alloc(0),
    Buffer.from('[]'),
    Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ i, hex: 'ab'.repeat(20) })))),
  ];
  for (const middle of middles) {
    const shared = new Uint8Array(new SharedArrayBuffer(middle.length));
    shared.set(middle);
    const part = await deflatePart(shared);
    for (const [head, tail] of [
      ['{"result":', ',"id":1}\n'],
      ['', ''],
      ['x'.repeat(65_535), 'y'],
    ] as const) {
      const member = Buffer.concat(gzipAround(Buffer.from(head), part, Buffer.from(tail)));
      t.ok(
        gunzipSync(member).equals(Buffer.concat([Buffer.from(head), middle, Buffer.from(tail)])),
        `${head.length}, ${middle.length}, ${tail.length}`,
      );
      if (middle.length > 1000) t.ok(member.length < middle.length / 2 + 70_000);
    }
  }
  t.throws(() => gzipAround(new Uint8Array(65_536), { bytes: new Uint8Array(0), crc: 0, length: 0 }, new Uint8Array(0)), RangeError);
});
