// Finds the data folder, the network, and the release that is followed, before the other options are read.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ChainName } from '../consensus/params/chain-params.js';
import { COMPATS, type Compat } from '../policy/compat.js';
import { type Args, ConfigError } from './args.js';
import { readConf } from './conf-file.js';
import { OWN_ROWS } from './own-rows.js';

/** Folders of the networks within the data folder. */
export const chainFolders: Record<ChainName, string> = {
  main: '',
  test: 'testnet3',
  testnet4: 'testnet4',
  signet: 'signet',
  regtest: 'regtest',
};

/**
 * Returns the default data folder on this system. It is not Core's: two nodes that append to the same block files would
 * destroy both.
 */
export function defaultDataDir(): string {
  if (process.platform === 'darwin') return path.join(os.homedir(), 'Library', 'Application Support', 'adit');
  if (process.platform === 'win32') return path.join(process.env.APPDATA ?? os.homedir(), 'adit');
  return path.join(os.homedir(), '.adit');
}

/** Returns the chain that the options select. @throws ConfigError */
export function chooseChain(args: Args): ChainName {
  const chosen = (['regtest', 'signet', 'testnet', 'testnet4'] as const).filter((name) => args.chainSwitch(name));
  if (chosen.length + (args.isSet('chain') ? 1 : 0) > 1) {
    // `npm start` sets -announce.
    const hint = args.bool('announce', false)
      ? ' npm start adds -regtest unless an option names the network, as in: npm start -- -signet'
      : '';
    throw new ConfigError(`Invalid combination of -regtest, -signet, -testnet and -chain. Can use at most one.${hint}`);
  }
  if (chosen[0] !== undefined) return chosen[0] === 'testnet' ? 'test' : chosen[0];
  const named = args.text('chain') ?? OWN_ROWS.chain[3];
  if (!Object.hasOwn(chainFolders, named)) throw new ConfigError(`CreateChainParams: Unknown chain ${named}.`);
  return named as ChainName;
}

/** Throws if a folder does not exist. @throws ConfigError */
export function requireFolder(dir: string, optionName: string): void {
  let info: fs.Stats;
  try {
    info = fs.statSync(dir);
  } catch {
    throw new ConfigError(`Specified ${optionName} directory "${dir}" does not exist.`);
  }
  if (!info.isDirectory()) throw new ConfigError(`Specified ${optionName} directory "${dir}" does not exist.`);
}

/**
 * Reads bitcoin.conf into `args`, and finds the data folder and the chain.
 * @returns firstDir: the data folder before the configuration file changed it
 */
export function locate(args: Args, createBase: boolean): { baseDir: string; firstDir: string; chain: ChainName; netDir: string } {
  let baseDir = args.text('datadir') || undefined;
  if (baseDir !== undefined) {
    baseDir = path.resolve(baseDir);
    requireFolder(baseDir, 'data');
  } else {
    baseDir = defaultDataDir();
    if (createBase) fs.mkdirSync(baseDir, { recursive: true, mode: 0o700 });
  }
  const firstDir = baseDir;
  if (!args.isNegated('conf')) readConf(args, baseDir, args.text('conf') || OWN_ROWS.conf[3], args.isSet('conf'), () => chooseChain(args));
  const chain = chooseChain(args);
  args.selectChain(chain);
  const confDataDir = args.text('datadir');
  if (confDataDir && path.resolve(confDataDir) !== baseDir) {
    baseDir = path.resolve(confDataDir);
    if (!fs.statSync(baseDir, { throwIfNoEntry: false })?.isDirectory()) {
      throw new ConfigError(`Error reading configuration file: specified data directory "${confDataDir}" does not exist.`);
    }
  }
  return { baseDir, firstDir, chain, netDir: path.join(baseDir, chainFolders[chain]) };
}

/**
 * Throws if another configuration file was read instead of the bitcoin.conf in the data folder. With -allowignoredconf it
 * only warns. Core does so since release 25.
 * @param firstDir the data folder to which a relative -conf refers
 * @throws ConfigError
 */
export function refuseIgnoredConf(args: Args, baseDir: string, firstDir: string): void {
  if (args.isNegated('conf')) return;
  const usual = OWN_ROWS.conf[3];
  const ignored = fs.statSync(path.join(baseDir, usual), { throwIfNoEntry: false });
  if (ignored === undefined) return;
  const named = args.text('conf') ?? '';
  const used = path.resolve(firstDir, named || usual);
  const read = fs.statSync(used, { throwIfNoEntry: false });
  if (read?.ino === ignored.ino && read.dev === ignored.dev) return;
  const source = named === '' ? `data directory "${firstDir}"` : `command line argument "-conf=${named}"`;
  const fault = [
    `Data directory "${baseDir}" contains a "${usual}" file which is ignored, because a different configuration file "${used}" from ${source} is being used instead. Possible ways to address this would be to:`,
    `- Delete or rename the "${usual}" file in data directory "${baseDir}".`,
    '- Change datadir= or conf= options to specify one configuration file, not two, and use includeconf= to include any other configuration files.',
  ];
  if (args.bool('allowignoredconf', false)) args.warnings.push(`Warning: ${fault.join(' ')}`);
  else throw new ConfigError([...fault, '- Set allowignoredconf=1 option to treat this condition as a warning, not an error.'].join('\n'));
}

/** Throws if an option stands in a place where it has no effect. @throws ConfigError in Core's words */
export function refuseMisplaced(args: Args, chain: ChainName, compat: Compat): void {
  if (args.confInFile && compat.name !== '0.21.1') {
    throw new ConfigError(
      'Error reading configuration file: conf cannot be set in the configuration file; use includeconf= if you want to include additional config files',
    );
  }
  const lines = args.misplaced().map((name) => `Config setting for -${name} only applied on ${chain} network when in [${chain}] section.`);
  if (lines.length > 0) throw new ConfigError(lines.join('\n'));
}

/** Returns the release of -compat. @throws ConfigError for an unknown release */
export function compatOption(args: Args): Compat {
  const name = args.text('compat') ?? OWN_ROWS.compat[3];
  if (name !== '0.21.1' && name !== '31' && name !== 'default')
    throw new ConfigError(`-compat must be 0.21.1, 31 or default, not '${name}'.`);
  return COMPATS[name];
}
