// Makes the options of the thread for Stratum V1 miners, and logs its ports. The node and processes of fronts use it.
import { ConfigError, type StratumConfig } from '../config/index.js';
import type { ChainName, ChainParams } from '../consensus/params/chain-params.js';
import { chainParams } from '../consensus/params/networks.js';
import type { Crypto } from '../crypto/crypto.js';
import type { Addresses } from '../lib/supervised-thread.js';
import type { Logger } from '../log/logger.js';
import type { NamedNetwork } from '../stratum/index.js';
import { createWork, type StratumBind, type StratumOptions } from '../stratum/serve/index.js';
import { parseBind } from './http-options.js';

/** Name of the protocol in the log. */
export const STRATUM_NAME = 'Stratum V1';
/** Least time between two templates of one tip. */
export const INTERVAL_MS = 1_000;
/** Time after which any rise of fees brings a new template. */
export const REFRESH_MS = 30_000;

const LOOPBACK = '127.0.0.1';
/** Networks by the names that users know. Testnet3, testnet4 and signet have the same addresses. */
const NETWORKS: readonly (readonly [ChainName, string])[] = [
  ['main', 'mainnet'],
  ['test', 'testnet'],
  ['regtest', 'regtest'],
];
const OWN_NAMES: Readonly<Record<ChainName, string>> = {
  main: 'mainnet',
  test: 'testnet3',
  testnet4: 'testnet4',
  signet: 'signet',
  regtest: 'regtest',
};

export interface StratumPlace {
  readonly network: ChainName;
  readonly params: ChainParams;
  readonly hashes: Crypto;
  readonly place: Pick<StratumOptions, 'front' | 'reserve' | 'solutionsDir' | 'streamsShares' | 'counters'>;
}

/**
 * Checks the options and returns those of the thread.
 * @returns a function that creates the options. Its arguments: addresses of an earlier thread, whose ports are opened
 *   again (null: the operator's ports), and the stored rows of workers
 * @throws ConfigError
 */
export function stratumThreadOptions(
  config: StratumConfig,
  { network, params, hashes, place }: StratumPlace,
): { readonly at: (addresses: Addresses | null, workerRows: StratumOptions['workerRows']) => StratumOptions } {
  const binds = bindsOf(config);
  const networks = {
    network: named(OWN_NAMES[network], params),
    otherNetworks: NETWORKS.map(([chain, name]) => named(name, chainParams(chain, {}, hashes))).filter(
      ({ bech32Hrp }) => bech32Hrp !== params.bech32Hrp,
    ),
  };
  const { tls, most, perAddress, sharesPerSecond, mostWorkers, work } = config;
  try {
    createWork({ work, ...networks }, hashes, 0);
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
  const options = { tls, most, perAddress, sharesPerSecond, mostWorkers, work, ...networks, ...place };
  return {
    at: (addresses, workerRows) => ({
      ...{ ...options, workerRows },
      binds: binds.map((bind, i) => ({ ...bind, port: addresses?.[i]?.port ?? bind.port })),
    }),
  };
}

/** Plain ports, then TLS ports at the same hosts. */
function bindsOf({ binds, port, tls, tlsPort }: StratumConfig): StratumBind[] {
  const plain = (binds.length > 0 ? binds : [LOOPBACK]).map((text) => ({ ...parseBind(text, port, 'stratumbind'), tls: false }));
  if (tls === null) return plain;
  const hosts = [...new Set(plain.map(({ host }) => host))];
  return [...plain, ...hosts.map((host) => ({ host, port: tlsPort, tls: true }))];
}

function named(name: string, { base58, bech32Hrp }: ChainParams): NamedNetwork {
  return { name, base58, bech32Hrp };
}

/** Returns addresses as `host:port`. */
export const shownAddresses = (addresses: Addresses): string[] =>
  addresses.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);

/** Logs where miners connect and, without -stratumbind, that only this machine can connect. */
export function logListening({ tls, binds }: StratumConfig, addresses: Addresses, log: Logger): void {
  const plain = tls === null ? addresses.length : addresses.length - new Set(addresses.map(({ host }) => host)).size;
  const shown = shownAddresses(addresses).map((address, i) => `${address}${i < plain ? '' : ' (TLS)'}`);
  log.info(`Stratum V1 miners on ${shown.join(', ')}`);
  if (binds.length === 0) log.info('Stratum V1: only this machine can connect. Use -stratumbind to serve miners of your network.');
}
