import path from 'node:path';
import { replaceFile } from '../../../lib/durable-file.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { hex } from '../../render/hex.js';
import type { exportasmap as spec } from './exportasmap.spec.js';

/** Core exports its built-in map. adit has none, so this exports the map of -asmap. */
export const exportasmap: NodeRun<typeof spec> = async (params, ctx) => {
  const file = path.resolve(ctx.folder, params.path);
  const bytes = (await ctx.readAsmap()) ?? fail(RPC_CODE.MISC_ERROR, 'No embedded ASMap data available');
  await replaceFile(file, [bytes]).catch(() => fail(RPC_CODE.MISC_ERROR, `Failed to open asmap file: ${file}`));
  return { path: file, bytes_written: bytes.length, file_hash: hex(ctx.crypto.sha256(bytes)) };
};
