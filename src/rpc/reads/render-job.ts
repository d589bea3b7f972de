// Runs read jobs: reads the block files and writes results as bytes.

import { DecodeError } from '../../consensus/bytes/reader.js';
import { SyncRecords } from '../../storage/sync-records.js';
import { versioned } from '../declare/versions.js';
import { RPC_CODE, RpcError } from '../errors.js';
import type { DecodeContext } from '../front/context.js';
import { spec as getblockstats } from '../methods/blockchain/getblockstats.js';
import { TxWriter } from '../render/tx-writer.js';
import { encodeJson } from '../wire/json-write.js';
import { JobFiles, ReadError, undecodable } from './job-files.js';
import type { ReadJob, ReadResult } from './read-job.js';
import { BlockRenderer } from './render-block.js';
import { runDecode } from './render-decode.js';
import { renderHeaders } from './render-headers.js';
import { txOutProof } from './render-proof.js';
import { renderSpent } from './render-spent.js';
import { blockStats } from './render-stats.js';
import { TxRenderer } from './render-tx.js';

/** Creates the function that runs jobs on one thread. */
export function createJobRunner(render: DecodeContext): (job: string) => ReadResult {
  const files = new JobFiles(new SyncRecords(render.hashes, 0));
  const writer = new TxWriter(render);
  const blocks = new BlockRenderer(render, files, writer);
  const txs = new TxRenderer(render, files, writer);
  const statsShape = versioned(getblockstats, render.compat).shape;
  const run = (job: ReadJob): readonly Uint8Array[] => {
    switch (job.kind) {
      case 'block':
        return blocks.render(job);
      case 'stats': {
        const stats = blockStats(job, files, render);
        return [Buffer.from(encodeJson(statsShape ? statsShape(stats) : stats))];
      }
      case 'proof':
        return [Buffer.from(`"${txOutProof(job, files, render)}"`)];
      case 'tx':
        return txs.render(job);
      case 'pooled-tx':
        return txs.renderPooled(job);
      case 'headers':
        return renderHeaders(job, render);
      case 'filter':
        return [Buffer.from(`{"filter":"${Buffer.from(job.filter, 'base64').toString('hex')}","header":"${job.header}"}`, 'latin1')];
      case 'decode':
        return [Buffer.from(runDecode(job, render))];
      case 'spent':
        return renderSpent(job, files, render);
      case 'bytes': {
        const bytes = files.block(job.block, job.part);
        if (bytes === null) return [];
        return [job.hex ? Buffer.from(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex'), 'latin1') : bytes];
      }
    }
  };
  return (text) => {
    try {
      return { parts: run(JSON.parse(text) as ReadJob) };
    } catch (fault) {
      const error = fault instanceof DecodeError ? undecodable(fault) : fault;
      if (error instanceof RpcError) {
        return { code: error.code, message: error.message, log: error instanceof ReadError ? error.log : null };
      }
      const what = error instanceof Error ? error : new Error(String(error));
      return { code: RPC_CODE.MISC_ERROR, message: what.message, log: `Rendering a reply failed: ${what.stack}` };
    }
  };
}
