// Opens the RPC port. It opens before the chain is loaded; calls get code -28 until the executors are set.

import type { Fronts } from '../http/server.js';
import { SlabRing } from '../link/slab-ring.js';
import type { CallExecutor } from '../rpc/call-executor.js';
import type { NodeContext } from '../rpc/context/node.js';
import { RPC_CODE, RpcError } from '../rpc/errors.js';
import type { RestHandler } from '../rpc/node/rest.js';
import { REST_PREFIX } from '../rpc/rest/request.js';
import type { TemplateService } from '../template/index.js';
import type { NodeBase } from './open-base.js';
import { openRpcServer } from './rpc-server.js';
import { createWarmupExecutor, warmupTexts } from './warmup.js';

/**
 * Number of templates that readers may use at the same time in live mode, where templates change faster than slow
 * readers read.
 */
const LIVE_SLABS = 16;

/** Executors of the calls that fronts pass on. */
export interface CallExecutors {
  readonly calls: CallExecutor<NodeContext>;
  readonly rest: RestHandler;
  readonly templates: TemplateService;
}

export interface OpenedFronts {
  readonly slabs: SlabRing;
  /** The front threads; undefined with -server=0. */
  readonly fronts: Fronts | undefined;
  /** Addresses of the RPC port, `host:port`; empty with -server=0. */
  readonly addresses: readonly string[];
  /**
   * Sets the phase of the start.
   * @param text of the -28 replies; null: calls are answered
   */
  setWarmupPhase(text: string | null): void;
  /** Sets the executors of calls that fronts pass on. */
  serveCalls(executors: CallExecutors): void;
  /** Closes the fronts. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens the RPC port.
 * @param onFronts receives a function that ends the front threads after an uncaught fault
 * @throws HttpStartError, ConfigError
 */
export async function openFronts(base: NodeBase, onFronts: (abandon: () => Promise<void>) => void): Promise<OpenedFronts> {
  const { config, log, teardown } = base;
  const slabs = new SlabRing(config.templates.mode === 'live' ? LIVE_SLABS : undefined);
  let fronts: Fronts | undefined;
  let executors: CallExecutors | undefined;
  let warmup: string | null = warmupTexts.started;
  const warmupExecutor = createWarmupExecutor(() => warmup);
  const close = async (): Promise<void> => fronts?.close();
  teardown.add(close);
  const { addresses } = await openRpcServer(config, {
    ...base,
    slabs,
    warmup: () => warmup,
    execute: (body, call, hooks) => {
      const executor = executors === undefined ? warmupExecutor : call.uri.startsWith(REST_PREFIX) ? executors.rest : executors.calls;
      return executor.executeBody(body, call, hooks);
    },
    refresh: () => (executors ? executors.templates.refresh() : Promise.reject(new RpcError(RPC_CODE.IN_WARMUP, warmup ?? ''))),
    onFronts: (server) => {
      fronts = server;
      onFronts(() => server.close(0));
    },
  });
  return {
    slabs,
    fronts,
    addresses,
    setWarmupPhase: (text) => {
      warmup = text;
      fronts?.setWarmup(text);
      if (text !== null) log.info(`init message: ${text}`);
    },
    serveCalls: (opened) => {
      executors = opened;
    },
    close,
  };
}
