// Tests that no input makes the parsers of transactions and blocks allocate far more than its own size.
import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { ByteReader, DecodeError } from '../../../src/consensus/bytes/reader.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { OffsetTable } from '../../../src/consensus/tx/offset-table.js';
import { parseTx, readTx } from '../../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';

const crypto = createNativeCrypto();

/** Returns the value, or null for a DecodeError. Any other exception is a bug and is passed on. */
function attempt<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

t.test('bounds the offset table by a small multiple of the input', async (t) => {
  // Inputs, outputs and transactions of the smallest possible size, so that a given number of bytes has as many as
  // possible.
  const input = { prevHash: new Uint8Array(32), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0 };
  const output = { value: 0, script: new Uint8Array(0) };
  const shapes = [
    buildTx({ version: 1, inputs: Array(20_000).fill(input), outputs: [output], locktime: 0 }),
    buildTx({ version: 1, inputs: [input], outputs: Array(90_000).fill(output), locktime: 0 }),
  ];
  for (const bytes of shapes) {
    const table = new OffsetTable(32);
    readTx(new ByteReader(bytes), table, crypto, true);
    t.ok(table.data.byteLength <= 3 * bytes.length, `${table.data.byteLength} bytes for ${bytes.length}`);
    table.trim();
    t.ok(table.data.byteLength <= 1.5 * bytes.length, `${table.data.byteLength} bytes after trimming`);
  }
});

t.test('allocates nothing for a claimed size', async (t) => {
  // Counts and lengths that claim gigabytes, each in a few bytes, repeated many times.
  const huge = ['fdffff', 'feffffffff', 'fe00000002', 'ffffffffffffffff00', 'ff0000000001000000'];
  const inputs = huge.flatMap((size) => [
    `01000000${size}`,
    `010000000001${size}`,
    `0100000001${'11'.repeat(36)}${size}`,
    `0100000001${'11'.repeat(36)}00ffffffff${size}`,
    `0100000001${'11'.repeat(36)}00ffffffff01${'00'.repeat(8)}${size}`,
    `01000000000101${'11'.repeat(36)}00ffffffff00${size}`,
    `01000000000101${'11'.repeat(36)}00ffffffff0001${size}`,
    `${'00'.repeat(80)}${size}`,
    `${'00'.repeat(80)}010100000001${'11'.repeat(36)}${size}${'00'.repeat(40)}`,
  ]);
  const bytes = inputs.map((hex) => Uint8Array.from(Buffer.from(`${hex}${'00'.repeat(8)}`, 'hex')));
  const run = () => {
    for (const input of bytes) {
      attempt(() => parseTx(input, crypto));
      attempt(() => parseBlock(input, crypto));
    }
  };
  // Record the length of every array that is made. If the parser trusted a single claim, it would be a million entries
  // or more.
  let longest = 0;
  let made = 0;
  for (const name of [
    'Array',
    'ArrayBuffer',
    'Uint8Array',
    'Uint16Array',
    'Uint32Array',
    'Int32Array',
    'Float64Array',
    'BigInt64Array',
  ] as const) {
    const construct = (target: new (...args: never[]) => object, args: unknown[], of: unknown): object => {
      made++;
      for (const length of args) if (typeof length === 'number') longest = Math.max(longest, length);
      return Reflect.construct(target, args, of as typeof target);
    };
    t.intercept(globalThis, name, { value: new Proxy(globalThis[name], { construct }) });
  }
  t.intercept(Buffer, 'alloc', { value: () => t.fail('Buffer.alloc is not counted') });
  t.intercept(Buffer, 'allocUnsafe', { value: () => t.fail('Buffer.allocUnsafe is not counted') });
  run();
  t.ok(made > 0, 'the parsers do make arrays');
  t.ok(longest < 1_000, `${longest} entries`);
});
