// Compact sizes over the whole 64-bit range. (The tests of the address module cover Base58 and Bech32.)

import { compactSizeLength, encodeCompactSize, parseCompactSize } from '../../src/consensus/bytes/compact-size.js';
import { fromHex, toHex } from '../../src/consensus/bytes/hex.js';
import { ByteReader } from '../../src/consensus/bytes/reader.js';
import { ByteWriter } from '../../src/consensus/bytes/writer.js';
import { fileSuite, readJson } from '../framework/vector-suite.js';

fileSuite('encoding/compact_size.json', (t) => {
  const rows = readJson<{ value: string; u64le: string; compactSize: string }[]>('encoding/compact_size.json');
  t.ok(rows.length > 0);
  for (const row of rows) {
    const value = BigInt(row.value);
    t.equal(toHex(encodeCompactSize(value)), row.compactSize, row.value);
    t.equal(compactSizeLength(value), row.compactSize.length / 2);
    t.same(parseCompactSize(fromHex(row.compactSize)), { value, length: row.compactSize.length / 2 });
    t.equal(toHex(new ByteWriter().u64(value).finish()), row.u64le);
    t.equal(new ByteReader(fromHex(row.u64le)).u64big(), value);
    if (value <= BigInt(Number.MAX_SAFE_INTEGER)) {
      t.equal(toHex(encodeCompactSize(Number(value))), row.compactSize);
      t.equal(new ByteReader(fromHex(row.compactSize)).compactSize(Number.MAX_SAFE_INTEGER), Number(value));
      t.equal(toHex(new ByteWriter().u64(Number(value)).finish()), row.u64le);
      t.equal(new ByteReader(fromHex(row.u64le)).u64(), Number(value));
    }
  }
});
