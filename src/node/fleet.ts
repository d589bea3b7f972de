// Prepares a fleet node at start: its key, and the thread that publishes. Without -fleet no fleet code is loaded.

import fs from 'node:fs';
import { ConfigError, type NodeConfig } from '../config/index.js';
import type { FleetNodeOptions } from '../fleet/options.js';
import type { RemoteThread } from '../http/server.js';
import { replaceFileSync } from '../lib/durable-file.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import type { Logger } from '../log/logger.js';

/**
 * Returns the publishing thread.
 * @returns null without -fleet
 * @throws ConfigError if the key cannot be read or written
 */
export async function fleetThread({ fleet, chain }: Pick<NodeConfig, 'fleet' | 'chain'>, log: Logger): Promise<RemoteThread | null> {
  if (fleet === null) return null;
  const { newNodeKey, publicKeyOf } = await import('../fleet/signed.js');
  const { BEAT_MS } = await import('../fleet/options.js');
  const { PublishCounters } = await import('../fleet/publish/counters.js');
  let keyPem: string;
  let publicHex: string;
  try {
    keyPem = loadFleetKey(fleet.keyFile, newNodeKey);
    publicHex = Buffer.from(publicKeyOf(keyPem)).toString('hex');
  } catch (error) {
    throw new ConfigError(`-fleetkey: ${fleet.keyFile} cannot be used: ${(error as Error).message}`);
  }
  log.info(`Fleet: fronts follow this node with -fleetnode=${fleet.name}:${publicHex}`);
  if (fleet.accounts.length === 0)
    log.warn('-fleet is set without -fleetaccount. No account of the broker may send calls, so no front can follow this node.');
  const counters = new PublishCounters();
  const { servers, credsFile, tls, name, accounts, replicas } = fleet;
  const options: FleetNodeOptions = {
    servers,
    credsFile,
    tls,
    name,
    accounts,
    chain,
    keyPem,
    replicas,
    beatMs: BEAT_MS,
    figures: counters.buffer,
  };
  return { figures: () => counters.read(), entry: WORKER_ENTRY.fleet, name: 'adit-fleet', options };
}

/**
 * Returns the key of a file, which is created if it is missing.
 * @throws the system's error
 */
export function loadFleetKey(file: string, make: () => string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const pem = make();
  // The file must be complete on the disk before fronts get the public key: half a key would stop every start.
  replaceFileSync(file, pem);
  return pem;
}
