// Reads the options of a fleet: those that nodes and fronts share, and those of nodes.
import path from 'node:path';
import type { BrokerOptions, FleetNodeOptions } from '../fleet/options.js';
import type { Compat } from '../policy/compat.js';
import { type Args, ConfigError } from './args.js';
import { BROKER_ROWS, FLEET_ROWS } from './own-rows.js';
import { readRows } from './rows.js';

export type FleetConfig = Pick<FleetNodeOptions, keyof BrokerOptions | 'name' | 'accounts' | 'replicas'> & {
  readonly keyFile: string;
  /** True if shares of Stratum V1 miners are published. */
  readonly shares: boolean;
};

const NAME = /^[A-Za-z0-9_-]{1,32}$/;

/** Checks a name that becomes part of a NATS subject. @throws ConfigError */
export function fleetWord(option: string, text: string): string {
  if (!NAME.test(text)) throw new ConfigError(`-${option} must have 1 to 32 letters, digits, -, and _, not '${text}'`);
  return text;
}

/**
 * Reads the options of the broker.
 * @param baseDir folder to which file names are relative
 * @returns null without -fleet
 * @throws ConfigError
 */
export function brokerOptions(args: Args, baseDir: string, compat: Compat): BrokerOptions | null {
  const given = readRows(args, BROKER_ROWS, compat);
  const servers = given.servers.flatMap((text) => text.split(',').filter((one) => one !== ''));
  if (servers.length === 0) return null;
  for (const server of servers) {
    if (!URL.canParse(server) || !/^(nats|tls):\/\//.test(server))
      throw new ConfigError('-fleet must be nats://[user:password@]host[:port] or tls://..., or several of them separated by commas');
  }
  const file = (name: string | undefined): string | undefined => (name === undefined ? undefined : path.resolve(baseDir, name));
  const [ca, cert, key] = [file(given.ca), file(given.cert), file(given.key)];
  if ((cert === undefined) !== (key === undefined)) throw new ConfigError('-fleettlscert and -fleettlskey must be set together');
  const secure = ca !== undefined || cert !== undefined || servers.some((server) => server.startsWith('tls://'));
  return { servers, credsFile: file(given.creds), tls: secure ? { ca, cert, key } : null };
}

/**
 * Reads the options of a node.
 * @param baseDir folder to which the broker's file names are relative
 * @param served whether the RPC server is on (-server)
 * @returns null without -fleet
 * @throws ConfigError
 */
export function fleetOptions(args: Args, baseDir: string, netDir: string, served: boolean, compat: Compat): FleetConfig | null {
  const broker = brokerOptions(args, baseDir, compat);
  if (broker === null) return null;
  if (!served) throw new ConfigError('-fleet requires -server=1');
  const given = readRows(args, FLEET_ROWS, compat);
  if (given.shares && !args.bool('stratum', false)) throw new ConfigError('-fleetshares needs -stratum');
  const accounts = given.accounts.map((text) => {
    const colon = text.indexOf(':');
    const account = fleetWord('fleetaccount', colon < 0 ? text : text.slice(0, colon));
    const methods = colon < 0 ? null : text.slice(colon + 1).split(/[ ,]+/);
    return { account, methods: methods?.filter((name) => name !== '') ?? null };
  });
  const name = fleetWord('fleetname', given.name);
  return { ...broker, name, keyFile: path.resolve(netDir, given.key), replicas: given.replicas, shares: given.shares, accounts };
}
