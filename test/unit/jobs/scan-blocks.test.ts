// Marks of scripts and the walk over undo data, against sets of scripts and the decoder; a scan of real block files
// against a loop over every transaction.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import type { Coin } from '../../../src/consensus/coin.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { createScanRunner, markSpenders, readFinds, SCAN_MESSAGE_VERSION, type ScanJob } from '../../../src/jobs/scan-blocks.js';
import { packScripts, ScriptMarks, unpackScripts } from '../../../src/jobs/script-marks.js';
import { BlockFiles } from '../../../src/storage/block-files.js';
import { encodeUndo } from '../../../src/storage/codec/undo.js';
import { buildBlock, GENESIS } from '../../framework/chain-builder.js';
import { fc } from '../../framework/fast-check.js';

fc.configureGlobal({ seed: 45, numRuns: 100 });
const crypto = createNativeCrypto();

const fill = (size: number, n: number): Uint8Array =>
  new Uint8Array(size).fill(n & 255).map((byte, i) => (byte * 31 + i * 7 + (n >> 8)) & 255);
const cat = (...parts: (number | Uint8Array)[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : part))));
/** Makes a script of each form, distinguished by a number. */
const forms: ((n: number) => Uint8Array)[] = [
  (n) => cat(0x76, 0xa9, 20, fill(20, n), 0x88, 0xac),
  (n) => cat(0xa9, 20, fill(20, n), 0x87),
  (n) => cat(33, 2 + (n & 1), fill(32, n), 0xac),
  (n) => cat(65, 4, fill(64, n), 0xac),
  (n) => cat(0, 20, fill(20, n)),
  (n) => cat(0, 32, fill(32, n)),
  (n) => cat(0x51, 32, fill(32, n)),
  (n) => cat(0x51, 33, 2, fill(32, n), 0x51, 0xae),
  (n) => fill(n % 80, n),
];
const anyScript = fc.tuple(fc.nat(forms.length - 1), fc.nat(5000)).map(([form, n]) => forms[form](n));

t.test('ScriptMarks contains the scripts and outpoints that were added, and hardly any others', async (t) => {
  fc.assert(
    fc.property(fc.array(anyScript, { maxLength: 300 }), fc.array(anyScript, { maxLength: 300 }), fc.nat(), (added, asked, seed) => {
      let marks = ScriptMarks.create(4, seed);
      const model = new Set<string>();
      for (const script of added) {
        if (marks.full) marks = marks.grown();
        marks.addScript(script);
        model.add(Buffer.from(script).toString('hex'));
      }
      const reader = new ScriptMarks(marks.buffer);
      const has = (script: Uint8Array): boolean => {
        // Where it stands among other bytes must not matter.
        const inside = cat(7, script, 9);
        return reader.hasScript(inside, 1, 1 + script.length);
      };
      // The filter finds a foreign script by chance once in some millions; with this seed never.
      return (
        added.every(has) &&
        asked.every((script) => has(script) === model.has(Buffer.from(script).toString('hex')) || sameKey(script, model))
      );
    }),
  );
  let marks = ScriptMarks.create(10, 1);
  for (let n = 0; n < 20_000; n++) {
    if (marks.full) marks = marks.grown();
    marks.addOutpoint(fill(36, n));
  }
  t.ok(marks.hasOutpoints);
  t.ok(marks.hasOutpoint(fill(36, 19_999)) && marks.hasOutpoint(fill(36, 0)), 'a set that grew has what it had');
  let strangers = 0;
  for (let n = 0; n < 100_000; n++) if (marks.hasScript(cat(0, 20, fill(4, n), fill(16, n * 7)), 0, 22)) strangers++;
  t.ok(strangers < 10, `${strangers} of 100,000 others look like members`);
  const scripts = forms.map((form, i) => form(i + 3));
  t.same(unpackScripts(packScripts(scripts)), scripts);
  t.same(unpackScripts(packScripts([])), []);
});

/** Keys with the same x and parity share a mark: one of them is no point of the curve, or they are the same. */
function sameKey(script: Uint8Array, model: Set<string>): boolean {
  if (script.length !== 67) return false;
  const x = Buffer.from(script.subarray(2, 34)).toString('hex');
  return [...model].some((other) => other.length === 134 && other.slice(4, 68) === x);
}

t.test('markSpenders finds the transactions whose spent coins have marked scripts', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.tuple(anyScript, fc.nat(1_000_000), fc.nat(2 ** 31), fc.boolean()), { minLength: 1, maxLength: 6 }), {
        maxLength: 12,
      }),
      fc.array(anyScript, { maxLength: 5 }),
      (spent, wanted) => {
        const coins: Coin[][] = spent.map((inputs) =>
          inputs.map(([script, height, value, coinbase]) => ({ script, height, value, coinbase })),
        );
        const marks = ScriptMarks.create(100, 77);
        const model = new Set<string>();
        const add = (script: Uint8Array): void => {
          marks.addScript(script);
          model.add(Buffer.from(script).toString('hex'));
        };
        wanted.forEach(add);
        if (spent.length > 2) add(spent[1][0][0]);
        const hit = new Uint8Array(spent.length + 1);
        markSpenders(encodeUndo(coins), marks, hit);
        return spent.every(
          (inputs, i) =>
            (hit[i + 1] === 1) === inputs.some(([script]) => model.has(Buffer.from(script).toString('hex')) || sameKey(script, model)),
        );
      },
    ),
  );
  t.throws(() => markSpenders(encodeUndo([[], []]), ScriptMarks.create(1, 1), new Uint8Array(2)), /more transactions/);
  t.throws(() => markSpenders(Uint8Array.of(1, 1), ScriptMarks.create(1, 1), new Uint8Array(2)), /end of data/);
});

t.test('finds marked transactions in block files, within its time and despite damage', async (t) => {
  for (const xor of [false, true]) {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-scan-'));
    t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
    const magic = Uint8Array.of(1, 2, 3, 4);
    if (xor) fs.writeFileSync(path.join(dir, 'xor.dat'), Uint8Array.of(1, 20, 3, 200, 5, 0, 7, 255));
    const files = await BlockFiles.open({ dir, magic, lastKnown: null }, { hashes: crypto });
    const blocks: ScanJob['blocks'][number][] = [];
    let tip = GENESIS;
    for (let i = 0; i < 20; i++) {
      const built = buildBlock(tip, { tag: i, time: 1_400_000_000 + i });
      const at = await files.appendBlock(built.bytes);
      const undoPos = (await files.appendUndo(at.file, [{ undo: encodeUndo([]), prevHash: tip.hash }]))[0];
      blocks.push({ hash: built.hash, ...at, undoPos, filter: null });
      tip = built;
    }
    const first = parseBlock(await files.readBlock(blocks[3]), crypto).txs[0];
    const marks = ScriptMarks.create(10, 5);
    marks.addScript(first.outputScript(0));
    const scan = createScanRunner(crypto, () => 0);
    const job: ScanJob = { version: SCAN_MESSAGE_VERSION, folder: files.folder, marks: marks.buffer, scripts: null, blocks };
    const found = readFinds(scan(job));
    const expected = await Promise.all(
      blocks.map(async (at) =>
        parseBlock(await files.readBlock(at), crypto)
          .txs.map((tx, position) => ({ position, bytes: tx.bytes, script: tx.outputScript(0) }))
          .filter(({ script }) => Buffer.compare(script, first.outputScript(0)) === 0)
          .map(({ position, bytes }) => ({ position, bytes })),
      ),
    );
    t.same(found, expected);
    t.ok(found.some((txs) => txs!.length > 0));
    const nothing = ScriptMarks.create(10, 6);
    t.ok(
      readFinds(scan({ ...job, marks: nothing.buffer })).every((txs) => txs!.length === 0),
      'no marks',
    );

    // The clock runs: what the time did not allow for is left out, never half done.
    let now = 0;
    const slow = createScanRunner(crypto, () => (now += 5));
    t.equal(slow(job).counts.length, 2);
    // Damage is reported for each block.
    const bad = blocks.map((block, i) =>
      i === 1
        ? { ...block, pos: block.pos + 1 }
        : i === 2
          ? { ...block, file: 9 }
          : i === 4
            ? { ...block, undoPos: block.undoPos + 3 }
            : i === 5
              ? { ...block, hash: blocks[0].hash }
              : block,
    );
    const received = readFinds(scan({ ...job, blocks: bad }));
    t.same(
      received.map((txs, i) => (txs === null ? i : -1)).filter((i) => i >= 0),
      [1, 2, 4, 5],
    );
    await files.close();
  }
});
