// The process that kill.test.ts kills: a chain over RocksDB that reads blocks from stdin, one hex line each, and prints
// each one it acknowledges.
//
//   node kill-child.js FOLDER BLOCKS [download]
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../../src/storage/open-store.js';
import { IN_DOWNLOAD, OUT_OF_DOWNLOAD, openFixture } from '../../framework/chain-fixture.js';

const [folder, blocks, mode] = process.argv.slice(2) as [string, string, string | undefined];
const store = await openStore({ path: join(folder, 'db') });
const small = { atomicFlushEntries: 0, flushChunkEntries: 2, flushBytes: 1 };
const options = mode === 'download' ? { maxTipAge: IN_DOWNLOAD, ...small } : { maxTipAge: OUT_OF_DOWNLOAD };
const { chain } = await openFixture({ store, dir: join(folder, 'blocks'), ...options });
writeSync(1, `open ${chain.view.tip.hashHex}\n`);
for (const line of readFileSync(blocks, 'latin1').split('\n')) {
  if (line === '') continue;
  const outcome = await chain.commands.submitBlock(new Uint8Array(Buffer.from(line, 'hex')));
  // Write synchronously: when the parent process can read the line, the block counts as acknowledged.
  if (outcome.node !== null) writeSync(1, `${outcome.kind} ${outcome.node.hashHex}\n`);
}
writeSync(1, 'done\n');
await chain.close();
await store.close();
