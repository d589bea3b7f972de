// Options of the Stratum V2 template provider.
import path from 'node:path';
import type { ChainName } from '../consensus/params/chain-params.js';
import type { Args } from './args.js';

export interface Sv2Config {
  /** -sv2bind as written, host[:port]; empty: loopback. */
  readonly binds: readonly string[];
  readonly port: number;
  readonly authorityKeyFile: string;
  readonly intervalSeconds: number;
  readonly feeDeltaSats: number;
  /** Connections from one address of another machine. */
  readonly perAddress: number;
}

/** Those of sv2-tp, which pools' examples name. */
const PORTS: Record<ChainName, number> = { main: 8442, test: 18442, testnet4: 48442, signet: 38442, regtest: 18447 };
const KEY_FILE = 'sv2_authority_key';

/** @param port reads -sv2port @returns null without -sv2 */
export function sv2Options(args: Args, chain: ChainName, netDir: string, port: () => number | undefined): Sv2Config | null {
  const given = port();
  if (!args.bool('sv2', false)) return null;
  return {
    binds: args.list('sv2bind'),
    port: given ?? PORTS[chain],
    authorityKeyFile: path.resolve(netDir, args.text('sv2authoritykey') || KEY_FILE),
    intervalSeconds: Math.max(1, args.int('sv2interval', 5)),
    feeDeltaSats: Math.max(0, args.int('sv2feedelta', 1000)),
    perAddress: Math.max(1, args.int('sv2peraddress', 64)),
  };
}
