// adit-cli's options, one row each: bitcoin-cli's.
import type { Flag, FlagKind } from '../config/flags.js';
import { version } from '../config/version.js';

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
  ['generate', 'bool', 'Mine blocks to a new address of the wallet: -generate [nblocks [maxtries]]'],
  ['getinfo', 'bool', 'The most important figures at a glance'],
  ['netinfo', 'bool', 'Peers by network and direction: -netinfo [level]'],
  ['named', 'bool', 'Arguments are name=value'],
  ['newrpcauth', 'string', 'Make a password for this user, and the -rpcauth line that the node needs; asks no node'],
  ['rpcclienttimeout', 'int', 'Seconds to wait for a reply (0: for ever; default: 900)'],
  ['rpcconnect', 'string', 'Host of the node (default: 127.0.0.1)'],
  ['rpccookiefile', 'string', 'The cookie, relative to the network folder (default: .cookie)'],
  ['rpcport', 'int', 'Port of the node (default: 8332, 18332, 48332, 38332, 18443 by network)'],
  ['rpcuser', 'string', 'User name'],
  ['rpcpassword', 'string', 'Password; instead of the cookie'],
  ['rpcwait', 'bool', 'Try again each second until the node is up'],
  ['rpcwaittimeout', 'int', 'Seconds that -rpcwait waits (default: 0, for ever)'],
  ['rpctls', 'bool', 'Talk TLS to the node'],
  ['rpctlsca', 'string', 'The certificate to trust, a PEM file relative to the current folder; implies -rpctls'],
  ['rpctlscert', 'string', "The node's own option, as in its bitcoin.conf (relative to the data folder): implies -rpctls and is trusted"],
  ['rpcwallet', 'string', 'The wallet to ask'],
  ['stdinrpcpass', 'bool', 'Read the password from standard input: its first line'],
  ['stdinwalletpassphrase', 'bool', 'Read the wallet passphrase from standard input: a line of its own'],
  ['stdin', 'bool', 'Read further arguments from standard input, one per line'],
];

/** The options by name. */
export const cliFlags: ReadonlyMap<string, Flag> = new Map(
  rows.map(([name, kind, help]) => [name, { name, kind, category: 'Options', help, ...(name === 'rpcport' ? { networkOnly: true } : {}) }]),
);

/** What `adit-cli --help` prints. */
export function cliHelp(): string {
  const shown = rows.filter(([, , help]) => help !== '');
  const width = Math.max(...shown.map(([name, kind]) => name.length + (kind === 'bool' ? 0 : 4)));
  return [
    `adit RPC client version ${version}`,
    '',
    'Usage:  adit-cli [options] <command> [params]          Ask the node',
    '        adit-cli [options] -named <command> [name=value]...',
    '        adit-cli [options] help                        List commands',
    '        adit-cli [options] help <command>              Explain a command',
    '',
    'Options:',
    ...shown.map(([name, kind, help]) => `  -${`${name}${kind === 'bool' ? '' : '=<x>'}`.padEnd(width + 2)} ${help}`),
    '',
  ].join('\n');
}
