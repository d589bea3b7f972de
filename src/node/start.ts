// Builds a node from its options, wires the rooms together, and takes it down again. The only place that knows every room.
// Callers: aditd, benches. Order of a start: folder and database (which proves that no other node holds them), threads, chain, mempool,
// templates, fronts; the RPC cookie is written once the port is ours, and calls are answered with -28 until the chain is loaded.
import crypto from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import type { Chain } from '../chain/chain.js';
import { ConfigError } from '../config/args.js';
import type { NodeConfig } from '../config/load.js';
import { version } from '../config/version.js';
import { fromHex } from '../consensus/bytes/hex.js';
import { chainParams } from '../consensus/params/chain-params.js';
import { VersionBitsCache } from '../consensus/rules/versionbits.js';
import { createNativeCrypto, cryptoWarning } from '../crypto/native/index.js';
import { publicKeyOf } from '../crypto/native/public-key.js';
import { SharedState, STATE_FLAG } from '../http/link/shared-state.js';
import { SlabRing } from '../http/link/slab-ring.js';
import { createFronts } from '../http/server.js';
import { Scheduler } from '../lib/scheduler.js';
import { SystemClock } from '../lib/system-clock.js';
import type { NodeLogger } from '../log/create-logger.js';
import type { Mempool } from '../mempool/mempool.js';
import { serveMetrics } from '../metrics/server.js';
import { CachedVerifier } from '../parallel/cached-verifier.js';
import { Grinder } from '../parallel/grinder.js';
import { WorkPool } from '../parallel/pool.js';
import { PooledVerifier } from '../parallel/pooled-verifier.js';
import { ScriptCache } from '../parallel/script-cache.js';
import { StopFlag } from '../parallel/stop-flag.js';
import { NodeDesk } from '../rpc/node/desk.js';
import { BlockFiles } from '../storage/block-files.js';
import { openStore } from '../storage/open-store.js';
import { StoreError } from '../storage/store-error.js';
import { TemplateService } from '../template/service.js';
import { prepareFolders, writeCookie, writePidFile } from './data-folder.js';
import { httpOptions } from './http-options.js';
import { createMetrics } from './metrics.js';
import { createNetworkAccess } from './network-access.js';
import { createPoolAccess } from './pool-access.js';

/** Blocks until which a part of -dbcache serves the database instead of the coins cache. */
const storeCacheBytes = 8 << 20;
const hourMs = 3_600_000;

/** A node that runs. */
export interface RunningNode {
  readonly chain: Chain;
  readonly mempool: Mempool;
  /** Where JSON-RPC is answered, `host:port`; empty with -server=0. */
  readonly addresses: readonly string[];
  /** Resolves when something asks for the end: the stop call, or a fault (then with its error). */
  readonly stopAsked: Promise<Error | undefined>;
  /** Takes everything down in order. Safe to call twice. */
  stop(): Promise<void>;
}

/** What is taken down at the end, last built first. */
class Teardown {
  readonly #steps: (() => void | Promise<void>)[] = [];

  add(step: () => void | Promise<void>): void {
    this.#steps.push(step);
  }

  /** Runs every step even when one fails. @returns the first failure */
  async run(): Promise<Error | undefined> {
    let failure: Error | undefined;
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        failure ??= error as Error;
      }
    }
    return failure;
  }
}
