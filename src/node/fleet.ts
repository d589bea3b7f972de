// What a node of a fleet needs at its start: its key, and the thread that publishes it. Loads nothing of the fleet
// without -fleet.

import fs from 'node:fs';
import { ConfigError } from '../config/args.js';
import type { NodeConfig } from '../config/load.js';
import type { FleetNodeOptions } from '../fleet/options.js';
import type { RemoteThread } from '../http/server.js';
import { WORKER_ENTRY } from '../lib/worker-entries.js';
import type { Logger } from '../log/logger.js';

/** @returns null without -fleet @throws ConfigError when the key cannot be read or written */
export async function fleetThread({ fleet, chain }: Pick<NodeConfig, 'fleet' | 'chain'>, log: Logger): Promise<RemoteThread | null> {
  if (fleet === null) return null;
  const { newNodeKey, publicKeyOf } = await import('../fleet/signed.js');
  const { BEAT_MS } = await import('../fleet/options.js');
  const { PublishCounters } = await import('../fleet/publish/counters.js');
  let keyPem: string;
  let publicHex: string;
  try {
    keyPem = readKey(fleet.keyFile, newNodeKey);
    publicHex = Buffer.from(publicKeyOf(keyPem)).toString('hex');
  } catch (error) {
    throw new ConfigError(`-fleetkey: ${fleet.keyFile} cannot be used: ${(error as Error).message}`);
  }
  log.info(`Fleet: fronts follow this node with -fleetnode=${fleet.name}:${publicHex}`);
  if (fleet.accounts.length === 0)
    log.warn('-fleet without -fleetaccount: no account of the broker may call, so no front can follow this node');
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

/** The key in the file, which is made when it is not there. */
function readKey(file: string, make: () => string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const pem = make();
  fs.writeFileSync(file, pem, { mode: 0o600, flag: 'wx' });
  return pem;
}
