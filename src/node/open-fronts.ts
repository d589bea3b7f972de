// Opens the RPC port. HTTP opens before the chain is loaded, and calls are answered with -28 until they are served.

import type { Fronts } from '../http/server.js';
import { SlabRing } from '../link/slab-ring.js';
import type { NodeContext } from '../rpc/context/node.js';
import type { CallDesk } from '../rpc/desk.js';
import { RPC_CODE, RpcError } from '../rpc/errors.js';
import type { RestDesk } from '../rpc/node/rest.js';
import { REST_PREFIX } from '../rpc/rest/request.js';
import type { TemplateService } from '../template/service.js';
import type { NodeBase } from './open-base.js';
import { openRpcServer } from './rpc-server.js';
import { warmupDesk, warmupTexts } from './warmup.js';

/** Templates that readers may be at in mode live, where they follow each other more quickly than slow readers read. */
const LIVE_SLABS = 16;

/** What answers calls that the fronts pass on. */
export interface Desks {
  readonly calls: CallDesk<NodeContext>;
  readonly rest: RestDesk;
  readonly templates: TemplateService;
}

export interface OpenedFronts {
  readonly slabs: SlabRing;
  /** undefined with -server=0. */
  readonly fronts: Fronts | undefined;
  /** Where JSON-RPC is answered, `host:port`; empty with -server=0. */
  readonly addresses: readonly string[];
  /** The start has reached another phase. @param text of the -28 replies, null: fronts and desks answer */
  warm(text: string | null): void;
  /** From here on the desks answer what the fronts pass on. */
  serve(desks: Desks): void;
  /** Ends the fronts. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * @param onFronts is given at once a way to end the front threads after an uncaught fault
 * @throws HttpStartError, ConfigError
 */
export async function openFronts(base: NodeBase, onFronts: (abandon: () => Promise<void>) => void): Promise<OpenedFronts> {
  const { config, log, teardown } = base;
  const slabs = new SlabRing(config.templates.mode === 'live' ? LIVE_SLABS : undefined);
  let fronts: Fronts | undefined;
  let desks: Desks | undefined;
  let warmup: string | null = warmupTexts.started;
  const warming = warmupDesk(() => warmup);
  const close = async (): Promise<void> => fronts?.close();
  teardown.add(close);
  const { addresses } = await openRpcServer(config, {
    ...base,
    slabs,
    warmup: () => warmup,
    execute: (body, call, hooks) => {
      const desk = desks === undefined ? warming : call.uri.startsWith(REST_PREFIX) ? desks.rest : desks.calls;
      return desk.executeBody(body, call, hooks);
    },
    refresh: () => (desks ? desks.templates.refresh() : Promise.reject(new RpcError(RPC_CODE.IN_WARMUP, warmup ?? ''))),
    onFronts: (server) => {
      fronts = server;
      onFronts(() => server.close(0));
    },
  });
  return {
    slabs,
    fronts,
    addresses,
    warm: (text) => {
      warmup = text;
      fronts?.setWarmup(text);
      if (text !== null) log.info(`init message: ${text}`);
    },
    serve: (opened) => {
      desks = opened;
    },
    close,
  };
}
