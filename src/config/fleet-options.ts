// Options of a fleet: what nodes and fronts have in common, and the node's own.
import path from 'node:path';
import { type Args, ConfigError } from './args.js';

/** How the broker is reached. */
export interface BrokerConfig {
  readonly servers: readonly string[];
  readonly credsFile: string | undefined;
  readonly tls: { readonly ca: string | undefined; readonly cert: string | undefined; readonly key: string | undefined } | null;
}

/** A node of a fleet. */
export interface FleetConfig extends BrokerConfig {
  readonly name: string;
  readonly keyFile: string;
  /** Servers of the broker that keep what is stored. */
  readonly replicas: number;
  readonly accounts: readonly { readonly account: string; readonly methods: readonly string[] | null }[];
}

const NAME = /^[A-Za-z0-9_-]{1,32}$/;
const KEY_FILE = 'fleet_key';

/** A name that can be part of a subject. @throws ConfigError */
export function fleetWord(option: string, text: string): string {
  if (!NAME.test(text)) throw new ConfigError(`-${option} takes 1 to 32 letters, digits, - and _, not '${text}'`);
  return text;
}

/** @param baseDir that files are relative to @returns null without -fleet @throws ConfigError */
export function brokerOptions(args: Args, baseDir: string): BrokerConfig | null {
  const servers = args.list('fleet').flatMap((text) => text.split(',').filter((one) => one !== ''));
  if (servers.length === 0) return null;
  for (const server of servers) {
    if (!URL.canParse(server) || !/^(nats|tls):\/\//.test(server))
      throw new ConfigError('-fleet takes nats://[user:password@]host[:port] or tls://..., several of them with commas between');
  }
  const file = (name: string): string | undefined => {
    const text = args.text(name);
    return text === undefined || text === '' ? undefined : path.resolve(baseDir, text);
  };
  const [ca, cert, key] = [file('fleettlsca'), file('fleettlscert'), file('fleettlskey')];
  if ((cert === undefined) !== (key === undefined)) throw new ConfigError('-fleettlscert and -fleettlskey have to be given together');
  const secure = ca !== undefined || cert !== undefined || servers.some((server) => server.startsWith('tls://'));
  return { servers, credsFile: file('fleetcreds'), tls: secure ? { ca, cert, key } : null };
}

/** @param baseDir that the broker's files are relative to @returns null without -fleet @throws ConfigError */
export function fleetOptions(args: Args, baseDir: string, netDir: string): FleetConfig | null {
  const broker = brokerOptions(args, baseDir);
  if (broker === null) return null;
  if (!args.bool('server', true)) throw new ConfigError('-fleet needs -server=1');
  const accounts = args.list('fleetaccount').map((text) => {
    const colon = text.indexOf(':');
    const account = fleetWord('fleetaccount', colon < 0 ? text : text.slice(0, colon));
    const methods = colon < 0 ? null : text.slice(colon + 1).split(/[ ,]+/);
    return { account, methods: methods?.filter((name) => name !== '') ?? null };
  });
  return {
    ...broker,
    name: fleetWord('fleetname', args.text('fleetname') ?? 'node'),
    keyFile: path.resolve(netDir, args.text('fleetkey') || KEY_FILE),
    replicas: args.strictInt('fleetreplicas', 1, 1, 5),
    accounts,
  };
}
