// Opens the threads that verify scripts, sign, search nonces and assemble templates.

import { randomBytes } from 'node:crypto';
import { createSigner } from '../crypto/native/sign.js';
import { PooledAssembler } from '../parallel/assembler-pooled.js';
import { CachedVerifier } from '../parallel/cached-verifier.js';
import { Grinder } from '../parallel/grinder.js';
import { WorkPool } from '../parallel/pool.js';
import { PooledSigner } from '../parallel/pooled-signer.js';
import { PooledVerifier } from '../parallel/pooled-verifier.js';
import { RenderPool } from '../parallel/render-pool.js';
import { ScriptCache } from '../parallel/script-cache.js';
import type { ReadResult } from '../rpc/reads/read-job.js';
import type { NodeBase } from './open-base.js';

export interface OpenedThreads {
  readonly pool: WorkPool;
  readonly assembler: PooledAssembler;
  readonly verifier: CachedVerifier;
  readonly grinder: Grinder;
  /** Signs on the node thread. */
  readonly signer: ReturnType<typeof createSigner>;
  readonly signingThreads: PooledSigner;
  /** Runs read jobs for callers without threads of their own: fronts of other machines. */
  readonly renderers: RenderPool<ReadResult>;
}

export function openThreads({ config, params, crypto, log, teardown }: NodeBase): OpenedThreads {
  const pool = new WorkPool({ threads: config.par }, { log });
  teardown.add(() => pool.close());
  const assembler = new PooledAssembler({}, { log });
  teardown.add(() => assembler.close());
  const renderers = new RenderPool<ReadResult>({
    threads: Math.max(1, config.par),
    workerData: { params, compat: config.compat },
    warn: (what) => log.warn(what),
  });
  teardown.add(() => renderers.close());
  const cache = new ScriptCache(config.scriptCacheBytes, randomBytes(4).readUInt32LE());
  const signer = createSigner();
  return {
    pool,
    assembler,
    verifier: new CachedVerifier(new PooledVerifier(pool), cache),
    grinder: new Grinder(pool, crypto),
    signer,
    renderers,
    signingThreads: new PooledSigner({ pool, crypto, hereUs: 0 }),
  };
}
