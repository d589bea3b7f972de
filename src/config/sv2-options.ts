// Reads the options of the Stratum V2 template provider.
import path from 'node:path';
import type { ChainName } from '../consensus/params/chain-params.js';
import type { Compat } from '../policy/compat.js';
import { SV2_PORTS, SV2_ROWS } from '../sv2/options.js';
import type { Args } from './args.js';
import { type RowValues, readRows } from './rows.js';

/** Options of the template provider. `binds`: addresses as written, host[:port]; empty: loopback. */
export type Sv2Config = Omit<RowValues<typeof SV2_ROWS>, 'enabled' | 'port'> & { readonly port: number };

/** Reads the options. @returns null without -sv2 @throws ConfigError */
export function sv2Options(args: Args, chain: ChainName, netDir: string, compat: Compat): Sv2Config | null {
  const { enabled, ...given } = readRows(args, SV2_ROWS, compat);
  if (!enabled) return null;
  return { ...given, port: given.port ?? SV2_PORTS[chain], authorityKeyFile: path.resolve(netDir, given.authorityKeyFile) };
}
