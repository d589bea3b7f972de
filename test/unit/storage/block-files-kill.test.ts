// Block files under SIGKILL at random moments: every acknowledged block and undo record is there afterwards, and
// appending goes on.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { BlockFiles } from '../../../src/storage/block-files.js';
import type { BlockPosition } from '../../../src/storage/block-records.js';

const KILLS = Number(process.env.KILLS ?? 4);
const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda);
const MAX_FILE_BYTES = 4_000_000;

/** Appends blocks of many sizes for ever; one line per acknowledged block: number, file, position, undo position. */
const writer = (dir: string, from: number): string => `
  import { writeSync } from 'node:fs';
  const url = ${JSON.stringify(new URL('../../../src/', import.meta.url).href)};
  const { BlockFiles } = await import(url + 'storage/block-files.js');
  const { createPureHashes } = await import(url + 'crypto/pure.js');
  const files = await BlockFiles.open(
    { dir: ${JSON.stringify(dir)}, magic: Uint8Array.of(${MAGIC}), maxFileBytes: ${MAX_FILE_BYTES}, lastKnown: null },
    { hashes: createPureHashes() });
  for (let i = ${from}; ; i++) {
    const at = await files.appendBlock(new Uint8Array(80 + (i * 7919) % 300000).fill(i));
    const undoPos = (await files.appendUndo(at.file, [{ undo: new Uint8Array(i % 500).fill(i), prevHash: new Uint8Array(32).fill(i) }]))[0];
    writeSync(1, i + ' ' + at.file + ' ' + at.pos + ' ' + undoPos + '\\n');
  }`;

t.test('retains every acknowledged block and undo record when the process is killed', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'adit-kill-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const known: { number: number; at: BlockPosition; undoPos: number }[] = [];
  let torn = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', writer(dir, kill * 100_000)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    const wanted = 40 + kill * 17;
    child.stdout.setEncoding('latin1').on('data', (text: string) => {
      output += text;
      if (output.split('\n').length > wanted) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const lines = output.split('\n').slice(0, -1);
    t.ok(lines.length >= wanted);
    for (const line of lines) {
      const [number, file, pos, undoPos] = line.split(' ').map(Number);
      known.push({ number, at: { file, pos }, undoPos });
    }
    const last = known[known.length - 1];
    const files = await BlockFiles.open(
      { dir, magic: MAGIC, maxFileBytes: MAX_FILE_BYTES, lastKnown: last.at, lastKnownUndo: new Map([[last.at.file, last.undoPos]]) },
      { hashes: createPureHashes() },
    );
    if (files.repair.tornBytes > 0) torn++;
    for (const { number, at, undoPos } of known) {
      const block = await files.readBlock(at);
      if (block.length !== 80 + ((number * 7919) % 300_000) || block.some((byte) => byte !== (number & 255))) t.fail(`block ${number}`);
      const undo = await files.readUndo({ file: at.file, pos: undoPos }, new Uint8Array(32).fill(number));
      if (undo.length !== number % 500) t.fail(`undo data ${number}`);
    }
    const at = await files.appendBlock(new Uint8Array(100).fill(3));
    t.equal((await files.readBlock(at)).length, 100);
    await files.close();
  }
  t.pass(`${known.length} blocks, ${torn} torn tails`);
});
