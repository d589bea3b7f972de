import path from 'node:path';
import { replaceFile } from '../../../lib/durable-file.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { hex, num, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesHex } from '../../render/hex.js';

export const spec = declare({
  name: 'exportasmap',
  category: 'network',
  runs: 'node',
  since: 32,
  description: 'Writes the map of autonomous systems that the node uses (-asmap) to a file. An existing file is overwritten.',
  args: [str('path', 'The file. A relative path is relative to the network folder')],
  results: [
    obj([
      str('path', 'Absolute path of the file'),
      num('bytes_written', 'Size of the file in bytes'),
      hex('file_hash', 'SHA256 of the file'),
    ]),
  ],
  examples: [{ cli: '"asmap.dat"', rpc: '"asmap.dat"' }],
});

/** Core exports its built-in map. adit has none, so this exports the map of -asmap. */
export const exportasmap: NodeRun<typeof spec> = async (params, ctx) => {
  const file = path.resolve(ctx.folder, params.path);
  const bytes = (await ctx.readAsmap()) ?? fail(RPC_CODE.MISC_ERROR, 'No embedded ASMap data available');
  await replaceFile(file, [bytes]).catch(() => fail(RPC_CODE.MISC_ERROR, `Failed to open asmap file: ${file}`));
  return { path: file, bytes_written: bytes.length, file_hash: bytesHex(ctx.crypto.sha256(bytes)) };
};
