// Options of the Stratum V1 server.
import fs from 'node:fs';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Compat } from '../policy/compat.js';
import { STRATUM_WORK_ROWS } from '../stratum/options.js';
import { STRATUM_LISTEN_ROWS } from '../stratum/serve/options.js';
import { type Args, ConfigError } from './args.js';
import { type RowValues, readRows } from './rows.js';

export interface StratumConfig extends Omit<RowValues<typeof STRATUM_LISTEN_ROWS>, 'enabled' | 'tlsCert' | 'tlsKey'> {
  readonly work: RowValues<typeof STRATUM_WORK_ROWS>;
  /** Certificate and key as PEM texts; null without -stratumtlscert. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
}

/**
 * Reads the options of the Stratum V1 server.
 * @param baseDir folder to which file names of certificates are relative
 * @param netDir folder to which the folders of found blocks and of statistics are relative
 * @returns null without -stratum
 * @throws ConfigError
 */
export function stratumOptions(args: Args, baseDir: string, netDir: string, compat: Compat): StratumConfig | null {
  const { enabled, tlsCert, tlsKey, ...given } = readRows(args, STRATUM_LISTEN_ROWS, compat);
  if (!enabled) return null;
  const folders = {
    blocksFolder: path.resolve(netDir, given.blocksFolder),
    workersFolder: path.resolve(netDir, given.workersFolder),
  };
  return { ...given, ...folders, work: readRows(args, STRATUM_WORK_ROWS, compat), tls: readPair(tlsCert, tlsKey, baseDir) };
}

/** Reads certificate and key, and checks that they belong together. */
function readPair(cert: string | undefined, key: string | undefined, baseDir: string): StratumConfig['tls'] {
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined) throw new ConfigError('-stratumtlscert and -stratumtlskey have to be given together');
  try {
    const [certText, keyText] = [cert, key].map((file) => fs.readFileSync(path.resolve(baseDir, file), 'utf8')) as [string, string];
    createSecureContext({ cert: certText, key: keyText });
    return { cert: certText, key: keyText };
  } catch (error) {
    throw new ConfigError(`-stratumtlscert and -stratumtlskey cannot be used: ${(error as Error).message}`);
  }
}
