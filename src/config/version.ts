// What this program calls itself. Core's numbers are what its clients look for; ours stands in the log, the help and
// /metrics.

/** adit's own version; package.json carries the same (a test compares them). */
export const version = '0.1.0';

/** The `version` of getnetworkinfo: the release whose RPC this node speaks. */
export const coreVersion = 210100;

/** The `subversion` of getnetworkinfo (BIP-0014). */
export const userAgent = '/Satoshi:0.21.1/';

/** P2P protocol version. */
export const protocolVersion = 70016;
