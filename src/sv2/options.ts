// Options of the Stratum V2 template provider.
import type { ChainName } from '../consensus/params/chain-params.js';

/** Rows of the options, as src/config reads them. */
export const SV2_ROWS = {
  enabled: ['sv2', 'bool', 'Serve templates to Stratum V2 pools and job declarators', false],
  binds: ['sv2bind', 'list', 'Address to listen on for Stratum V2 clients, host[:port] (default: 127.0.0.1)'],
  port: ['sv2port', 'port', 'Port for Stratum V2 clients (default: 8442, 18442, 48442, 38442, 18447 by network)'],
  authorityKeyFile: [
    'sv2authoritykey',
    'filled',
    'File of the authority key, relative to the network folder. It is created if it does not exist',
    'sv2_authority_key',
  ],
  intervalSeconds: [
    'sv2interval',
    'int',
    'Minimum number of seconds between two templates of the same tip (default: {default}, at least 1)',
    5,
    { least: 1 },
  ],
  feeDeltaSats: ['sv2feedelta', 'int', 'Send another template of the same tip only if it pays this many satoshis more', 1000, { least: 0 }],
  perAddress: ['sv2peraddress', 'int', 'Maximum number of Stratum V2 connections from one address of another machine', 64, { least: 1 }],
} as const;

/** Default ports, the same as of sv2-tp, which the examples of pools use. */
export const SV2_PORTS: Record<ChainName, number> = { main: 8442, test: 18442, testnet4: 48442, signet: 38442, regtest: 18447 };
