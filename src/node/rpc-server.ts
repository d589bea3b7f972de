// Starts the front threads, opens the RPC port, and then writes the cookie. Calls get code -28 until the chain is loaded, as
// in Core.
import type { NodeConfig } from '../config/index.js';
import { parseHeader } from '../consensus/block/header-view.js';
import { hashToHex } from '../consensus/bytes/hex.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { blockProof } from '../consensus/rules/bits.js';
import type { Crypto } from '../crypto/crypto.js';
import { createFronts, type Fronts, type FrontsDeps } from '../http/server.js';
import type { SharedState } from '../link/shared-state.js';
import type { SlabRing } from '../link/slab-ring.js';
import type { NodeLogger } from '../log/create-logger.js';
import type { Logger } from '../log/logger.js';
import { difficultyOf } from '../rpc/render/difficulty.js';
import { prepareCookie, writeCookie } from './data-folder.js';
import { fleetThread } from './fleet.js';
import { authenticationLines, httpOptions } from './http-options.js';
import type { Teardown } from './teardown.js';

export interface RpcServerDeps extends Pick<FrontsDeps, 'execute'> {
  readonly params: ChainParams;
  readonly crypto: Crypto;
  readonly state: SharedState;
  readonly slabs: SlabRing;
  readonly log: NodeLogger;
  readonly startedSeconds: number;
  /** Deletes the cookie. The caller closes the fronts. */
  readonly teardown: Teardown;
  /** Returns the text of -28 replies; null if calls are answered. */
  warmup(): string | null;
  readonly refresh: FrontsDeps['templates']['refresh'];
  /** Called with the fronts as soon as they run. */
  onFronts(fronts: Fronts): void;
}

/**
 * Opens the RPC port.
 * @returns its addresses, `host:port`; empty with -server=0
 * @throws HttpStartError, ConfigError
 */
export async function openRpcServer(config: NodeConfig, deps: RpcServerDeps): Promise<{ addresses: readonly string[] }> {
  if (!config.rpc.enabled) return { addresses: [] };
  const { params, log, teardown } = deps;
  const cookie =
    config.rpc.password === '' && config.cookieFile !== undefined ? prepareCookie(config.cookieFile, config.cookieMode) : undefined;
  for (const line of authenticationLines(config)) log.info(line);
  const genesis = parseHeader(params.genesis.subarray(0, 80), deps.crypto);
  const options = httpOptions(config, params.rpcPort, cookie?.credential, (line) => log.warn(line));
  const server = await createFronts(options, {
    execute: deps.execute,
    templates: { current: () => null, onPublish: () => {}, refresh: deps.refresh },
    state: deps.state,
    slabs: deps.slabs,
    params,
    logger: log,
    startedSeconds: deps.startedSeconds,
    tip: {
      height: 0,
      hashHex: hashToHex(genesis.hash),
      difficulty: difficultyOf(genesis.bits),
      chainWorkHex: blockProof(genesis.bits).toString(16).padStart(64, '0'),
    },
    warmup: deps.warmup(),
    remote: await fleetThread(config, log),
  });
  deps.onFronts(server);
  // The port is bound. Only now may clients find the cookie.
  if (cookie) {
    const file = writeCookie(cookie, log);
    teardown.add(() => file.remove());
    log.info(`Generated RPC authentication cookie ${file.path}`);
  }
  return { addresses: logAddresses(config.rpc, server, log) };
}

/**
 * Logs the addresses of the RPC port.
 * @returns the addresses, `host:port`
 */
export function logAddresses(rpc: NodeConfig['rpc'], server: Fronts, log: Logger): readonly string[] {
  const addresses = server.addresses.map(({ host, port }) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`));
  const threads = `${rpc.fronts} front thread${rpc.fronts === 1 ? '' : 's'}`;
  for (const address of addresses) log.info(`JSON-RPC ${rpc.tls === null ? '' : 'over TLS '}on ${address}, ${threads}`);
  return addresses;
}
