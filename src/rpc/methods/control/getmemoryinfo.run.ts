import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import type { getmemoryinfo as spec } from './getmemoryinfo.spec.js';

/** Returns zeros, because this call reports locked memory pages, and adit locks none. */
export const getmemoryinfo: NodeRun<typeof spec> = ({ mode }) => {
  if (mode === 'stats') return { locked: { used: 0, free: 0, total: 0, locked: 0, chunks_used: 0, chunks_free: 0 } };
  return fail(RPC_CODE.INVALID_PARAMETER, 'mallocinfo is only available when compiled with glibc 2.10+');
};
