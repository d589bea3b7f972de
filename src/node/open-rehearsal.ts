// Has blocks rehearsed once a miner is there: see rehearsal/.

import fs from 'node:fs';
import path from 'node:path';
import { CachedVerifier } from '../parallel/cached-verifier.js';
import { PooledVerifier } from '../parallel/pooled-verifier.js';
import { ScriptCache } from '../parallel/script-cache.js';
import { mempoolOptions } from './mempool-options.js';
import type { NodeBase } from './open-base.js';
import type { OpenedChain } from './open-chain.js';
import type { OpenedFronts } from './open-fronts.js';
import type { OpenedTemplates } from './open-templates.js';
import type { OpenedThreads } from './open-threads.js';
import { Rehearsal } from './rehearsal/rehearsal.js';
import { REHEARSAL_PARAMS } from './rehearsal/throwaway-node.js';

/** How often it is looked whether a miner is there. What else a start leaves to do goes first. */
const LOOK_MS = 5_000;
/** A node whose threads checked so many inputs has nothing to rehearse. */
const ENOUGH_INPUTS = 20_000;

/** A node that hands out no templates never begins, and its threads stay as small as they are. */
export function openRehearsal(
  { config, crypto, keyMath, scheduler, log, teardown }: NodeBase,
  { pool, verifier, signer, signingThreads }: OpenedThreads,
  { chain, fronts, sv2 }: Pick<OpenedChain & OpenedFronts & OpenedTemplates, 'chain' | 'fronts' | 'sv2'>,
): void {
  const dir = path.join(config.netDir, 'rehearsal');
  // Of a run that was killed.
  fs.rmSync(dir, { recursive: true, force: true });
  if (!config.rehearse) return;
  const rehearsal = new Rehearsal({
    dir,
    mempool: mempoolOptions(config, REHEARSAL_PARAMS),
    templates: config.templates,
    crypto,
    keys: keyMath,
    signing: { crypto, signer, signingThreads },
    // On the same threads, but what passed is forgotten at once: a block is tried again and again.
    verifier: new CachedVerifier(new PooledVerifier(pool), new ScriptCache(0, 0)),
    log,
  });
  teardown.add(() => rehearsal.close());
  const hasMiners = (): boolean =>
    sv2 !== null || config.fleet !== null || (fronts?.stats().link.methods.get('getblocktemplate')?.calls ?? 0) > 0;
  scheduler.every(LOOK_MS, () => {
    if (rehearsal.begun || chain.isInitialBlockDownload() || !hasMiners()) return;
    if (verifier.stats().inputs < ENOUGH_INPUTS) rehearsal.begin();
  });
}
