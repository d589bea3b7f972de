// Options of adit-cli: those of bitcoin-cli, and adit's own.
import { type Flag, type FlagKind, version } from '../config/index.js';

const rows: readonly (readonly [name: string, kind: FlagKind, help: string])[] = [
  ['?', 'bool', 'Print this help and exit'],
  ['help', 'bool', ''],
  ['h', 'bool', ''],
  ['version', 'bool', 'Print the version and exit'],
  ['datadir', 'string', 'The data folder of the node (default: ~/.adit)'],
  ['conf', 'string', 'The configuration file, relative to the data folder (default: bitcoin.conf)'],
  ['chain', 'string', 'main, test, testnet4, signet or regtest (default: main)'],
  ['regtest', 'bool', 'Same as -chain=regtest'],
  ['signet', 'bool', 'Same as -chain=signet'],
  ['testnet', 'bool', 'Same as -chain=test'],
  ['testnet4', 'bool', 'Same as -chain=testnet4'],
  ['generate', 'bool', 'Mine blocks and pay them to a new address of the wallet: -generate [nblocks [maxtries]]'],
  ['getinfo', 'bool', 'Show the most important figures of the node'],
  ['netinfo', 'bool', 'Show peers by network and direction: -netinfo [level]'],
  ['named', 'bool', 'Pass arguments as name=value, after any others'],
  ['newrpcauth', 'string', "Make a password for this user and the rpcauth line for the node's bitcoin.conf. Needs no running node"],
  ['rpcclienttimeout', 'int', 'Seconds to wait for a reply (0: no limit; default: 900)'],
  ['rpcconnect', 'string', 'Host of the node (default: 127.0.0.1)'],
  ['rpccookiefile', 'string', 'File of the authentication cookie, relative to the network folder (default: .cookie)'],
  ['rpcport', 'int', 'Port of the node (default: 8332, 18332, 48332, 38332, 18443 by network)'],
  ['rpcuser', 'string', 'User name'],
  ['rpcpassword', 'string', 'Password. It replaces the cookie'],
  ['rpcwait', 'bool', 'Try again every second until the node is up'],
  ['rpcwaittimeout', 'int', 'Seconds after which -rpcwait gives up (default: 0, never)'],
  ['rpctls', 'bool', 'Connect to the node with TLS'],
  ['rpctlsca', 'string', 'Certificate to trust: a PEM file, relative to the current folder. Implies -rpctls'],
  [
    'rpctlscert',
    'string',
    'Certificate of the node, as in its bitcoin.conf, relative to the data folder. adit-cli trusts it. Implies -rpctls',
  ],
  ['rpcwallet', 'string', 'Wallet for the call'],
  ['stdinrpcpass', 'bool', 'Read the password from the first line of standard input'],
  ['stdinwalletpassphrase', 'bool', 'Read the wallet passphrase from a line of standard input'],
  ['stdin', 'bool', 'Read further arguments from standard input, one per line'],
];

/** The options by name. */
export const cliFlags: ReadonlyMap<string, Flag> = new Map(
  rows.map(([name, kind, help]) => [name, { name, kind, category: 'Options', help, ...(name === 'rpcport' ? { networkOnly: true } : {}) }]),
);

/** Returns the text of `adit-cli --help`. */
export function cliHelp(): string {
  const shown = rows.filter(([, , help]) => help !== '');
  const width = Math.max(...shown.map(([name, kind]) => name.length + (kind === 'bool' ? 0 : 4)));
  return [
    `adit RPC client version ${version}`,
    '',
    'Usage:  adit-cli [options] <command> [params]          Send a command to the node',
    '        adit-cli [options] -named <command> [name=value]...',
    '        adit-cli [options] help                        List commands',
    '        adit-cli [options] help <command>              Explain a command',
    '',
    'Options:',
    ...shown.map(([name, kind, help]) => `  -${`${name}${kind === 'bool' ? '' : '=<x>'}`.padEnd(width + 2)} ${help}`),
    '',
  ].join('\n');
}
