// Blocks from files that the operator names.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import type { Chain } from '../../../src/chain/chain.js';
import type { Logger } from '../../../src/log/logger.js';
import { loadBlocks } from '../../../src/node/load-blocks.js';
import type { Store } from '../../../src/storage/store.js';

t.test('warns and continues when -loadblock names an unreadable file', async (t) => {
  const dir = t.testdir({ empty: {}, 'blk.dat': '', folder: { 'blk00000.dat': '', 'other.txt': '' } });
  const at = (name: string): string => path.join(dir, name);
  const read: string[][] = [];
  const warned: string[] = [];
  const chain = {
    view: { storedAhead: 0 },
    commands: { loadBlockFiles: async (paths: string[]) => read.push(paths) },
  } as unknown as Chain;
  const log = { info: () => {}, warn: (line: string) => warned.push(line) } as unknown as Logger;
  const files = ['none.dat', 'empty', 'blk.dat', 'folder'].map(at);
  await loadBlocks({ scan: null, files }, { chain, store: {} as Store, log, stopping: new AbortController().signal });
  t.same(warned, [`Could not open blocks file ${at('none.dat')}`, `Could not open blocks file ${at('empty')}`]);
  t.same(read, [[at('blk.dat')], [path.join(at('folder'), 'blk00000.dat')]]);
  t.equal(fs.existsSync(at('none.dat')), false);
});
