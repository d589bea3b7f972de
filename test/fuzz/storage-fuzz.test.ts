// Random and mutated bytes into everything that reads from disk: rows, undo data, block files. Nothing may crash, hang,
// allocate beyond its input, or fail with anything but a StoreError. FUZZ_CASES scales it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Coin } from '../../src/consensus/coin.js';
import { createPureHashes } from '../../src/crypto/pure.js';
import { BlockFiles } from '../../src/storage/block-files.js';
import { decodeCoin, encodeCoin } from '../../src/storage/codec/coin.js';
import { decodeIndexRow, encodeIndexRow } from '../../src/storage/codec/index-row.js';
import { decodeUndo, encodeUndo } from '../../src/storage/codec/undo.js';
import { scanBlocks } from '../../src/storage/scan-blocks.js';
import { StoreError } from '../../src/storage/store-error.js';

const CASES = Number(process.env.FUZZ_CASES ?? 100_000);
const FILE_CASES = Math.max(50, Math.floor(CASES / 400));

/** A small generator with a seed, so that a failure can be repeated. */
let state = Number(process.env.FUZZ_SEED ?? 20_260_801);
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 0x1_0000_0000) * below);
}
const randomBytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => random(256));

/** Flips, cuts, grows or splices. */
function mutate(bytes: Uint8Array): Uint8Array {
  let mutated = bytes.slice();
  for (let n = 1 + random(3); n > 0; n--) {
    const at = random(mutated.length + 1);
    switch (random(5)) {
      case 0:
        mutated = mutated.slice(0, at);
        break;
      case 1:
        mutated = Uint8Array.of(...mutated.subarray(0, at), ...randomBytes(random(6)), ...mutated.subarray(at));
        break;
      case 2:
        if (at < mutated.length) mutated[at] = [0, 0x7f, 0x80, 0xfd, 0xfe, 0xff][random(6)];
        break;
      default:
        if (at < mutated.length) mutated[at] ^= 1 << random(8);
    }
  }
  return mutated;
}

function randomCoin(): Coin {
  const forms = [
    () => Uint8Array.of(0x76, 0xa9, 20, ...randomBytes(20), 0x88, 0xac),
    () => Uint8Array.of(0xa9, 20, ...randomBytes(20), 0x87),
    () => Uint8Array.of(33, 2 + random(2), ...randomBytes(32), 0xac),
    () => randomBytes(random(60)),
  ];
  return {
    value: random(2) === 0 ? random(1e9) : random(21e6) * 1e8,
    script: forms[random(forms.length)](),
    height: random(900_000),
    coinbase: random(5) === 0,
  };
}

/** Runs a decoder; returns what it gave, null for a StoreError; any other error fails the test. */
function attempt<T>(t: { fail(message: string): unknown }, what: string, input: Uint8Array, decode: (bytes: Uint8Array) => T): T | null {
  try {
    return decode(input);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'STORE_CORRUPTION') {
      t.fail(`${what}: ${String(error)} for ${Buffer.from(input).toString('hex')}`);
    }
    return null;
  }
}

t.test('parses random rows and undo data without an exception', async (t) => {
  let decoded = 0;
  for (let i = 0; i < CASES; i++) {
    const kind = i % 3;
    if (kind === 0) {
      const input = random(4) === 0 ? randomBytes(random(60)) : mutate(encodeCoin(randomCoin()));
      const coin = attempt(t, 'coin', input, decodeCoin);
      if (coin !== null) {
        decoded++;
        // A decoded coin has the same meaning after it is encoded and decoded again.
        const again = decodeCoin(encodeCoin(coin));
        if (
          again.value !== coin.value ||
          again.height !== coin.height ||
          again.coinbase !== coin.coinbase ||
          !Buffer.from(again.script).equals(coin.script)
        ) {
          t.fail(`coin changes: ${Buffer.from(input).toString('hex')}`);
        }
      }
    } else if (kind === 1) {
      const spent = Array.from({ length: random(4) }, () => Array.from({ length: random(4) }, randomCoin));
      const undo = attempt(t, 'undo', random(4) === 0 ? randomBytes(random(80)) : mutate(encodeUndo(spent)), decodeUndo);
      if (undo !== null) decoded++;
    } else {
      const row = {
        header: randomBytes(80),
        height: random(1e6),
        status: random(256),
        txCount: random(5000),
        file: random(5000) - 1,
        blockPos: random(1e8),
        undoPos: random(1e8),
      };
      if (attempt(t, 'row', mutate(encodeIndexRow(row)), decodeIndexRow) !== null) decoded++;
    }
  }
  t.ok(decoded > CASES / 100, `${decoded} of ${CASES} inputs still decoded: the mutations reach the inner parts`);
});

const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda);
const hashes = createPureHashes();

/** A file of records, then damaged. */
function damagedFile(trailer: number): Uint8Array {
  const parts: number[] = [];
  for (let n = random(6); n >= 0; n--) {
    const payload = randomBytes(80 + random(400));
    parts.push(...MAGIC, payload.length & 255, payload.length >> 8, 0, 0, ...payload, ...randomBytes(trailer));
  }
  let bytes: Uint8Array = Uint8Array.from(parts);
  for (let n = random(4); n > 0; n--) bytes = mutate(bytes);
  return bytes;
}

t.test('parses random block files without an exception', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'adit-fuzz-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  let blocks = 0;
  let opened = 0;
  for (let i = 0; i < FILE_CASES; i++) {
    const dir = mkdtempSync(join(root, 'case-'));
    const path = join(dir, 'blk00000.dat');
    const bytes = damagedFile(0);
    writeFileSync(path, bytes);
    writeFileSync(join(dir, 'rev00000.dat'), damagedFile(32));
    let end = 0;
    for await (const block of scanBlocks(path, { magic: MAGIC })) {
      if (block.pos < end || block.pos + block.bytes.length > bytes.length) t.fail('blocks lie in the file and do not overlap');
      end = block.pos + block.bytes.length;
      blocks++;
    }
    const known = random(3) === 0 ? { file: 0, pos: random(bytes.length + 20) } : random(2) === 0 ? { file: 0, pos: 8 } : null;
    let files: BlockFiles;
    try {
      files = await BlockFiles.open({ dir, magic: MAGIC, lastKnown: known }, { hashes });
    } catch (error) {
      const refusal = error instanceof StoreError && error.code === 'STORE_CORRUPTION';
      // Without a block that the index knows there is only one reason to refuse: none of the first file's records is
      // whole.
      if (!refusal || (known === null && !error.message.includes('holds no blocks of this network'))) t.fail(`open: ${String(error)}`);
      continue;
    }
    opened++;
    // Whatever was there, what is written now is read back.
    const block = randomBytes(100);
    const at = await files.appendBlock(block);
    if (!Buffer.from(await files.readBlock(at)).equals(block)) t.fail('the new block is not what was written');
    const undoPos = (await files.appendUndo(0, [{ undo: block, prevHash: hashes.sha256d(block) }]))[0];
    if (!Buffer.from(await files.readUndo({ file: 0, pos: undoPos }, hashes.sha256d(block))).equals(block))
      t.fail('the new undo data is not what was written');
    for (let n = 0; n < 4; n++) {
      const pos = { file: random(2), pos: random(bytes.length + 50) };
      const code = (error: unknown) => (error instanceof StoreError ? error.code : String(error));
      const outcomes = [
        await files.readBlock(pos).then((read) => (read.length <= files.sizeOnDisk ? 'read' : 'too long'), code),
        await files.readUndo(pos, block.subarray(0, 32)).then(() => 'read', code),
      ];
      for (const outcome of outcomes) if (!['read', 'STORE_CORRUPTION', 'STORE_NOT_FOUND'].includes(outcome)) t.fail(`read: ${outcome}`);
    }
    await files.close();
    rmSync(dir, { recursive: true });
  }
  t.ok(blocks > FILE_CASES && opened > FILE_CASES / 3, `${FILE_CASES} files, ${opened} opened, ${blocks} blocks found`);
});
