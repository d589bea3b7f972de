// Constants of the P2P protocol, with Bitcoin Core's names (version.h, protocol.h, net.h, net_processing.cpp of 0.21).

/** Protocol version of this node: wtxid relay (BIP-0339). */
export const PROTOCOL_VERSION = 70016;
/** Peers with a lower version are disconnected. */
export const MIN_PEER_PROTO_VERSION = 31800;
/** Version from which on pings carry a nonce (BIP-0031). */
export const BIP0031_VERSION = 60000;
/** Version from which on `sendheaders` is understood (BIP-0130). */
export const SENDHEADERS_VERSION = 70012;
/** Version from which on `feefilter` is understood (BIP-0133). */
export const FEEFILTER_VERSION = 70013;
/** Version from which on compact blocks are understood (BIP-0152). */
export const SHORT_IDS_BLOCKS_VERSION = 70014;
/** Version from which on transactions are relayed by wtxid (BIP-0339). */
export const WTXID_RELAY_VERSION = 70016;

/** Largest payload, bytes. */
export const MAX_PROTOCOL_MESSAGE_LENGTH = 4_000_000;
/** Maximum number of entries of one inv, getdata or notfound. */
export const MAX_INV_SIZE = 50_000;
/** Maximum number of headers of one message. Fewer mean that the peer has no more. */
export const MAX_HEADERS_RESULTS = 2_000;
/** Maximum number of hashes of a locator. */
export const MAX_LOCATOR_SIZE = 101;
/** Maximum number of addresses of one message. */
export const MAX_ADDR_TO_SEND = 1_000;
/** Maximum number of bytes of a peer's user agent. */
export const MAX_SUBVERSION_LENGTH = 256;

/** Bits of a peer's services. */
export const SERVICE = {
  NETWORK: 1n,
  GETUTXO: 2n,
  BLOOM: 4n,
  WITNESS: 8n,
  COMPACT_FILTERS: 64n,
  NETWORK_LIMITED: 1024n,
  P2P_V2: 2048n,
} as const;

/** Number of newest blocks that a node with NETWORK_LIMITED has (BIP-0159). */
export const LIMITED_MIN_BLOCKS = 288;

/**
 * Returns the services that an outbound peer must have: all blocks, or only the newest ones if old blocks are not
 * needed (Core's GetDesirableServiceFlags).
 * @param services services of the peer
 * @param needsOld whether this node still needs old blocks
 */
export function desirableServices(services: bigint, needsOld: boolean): bigint {
  const recent = (services & SERVICE.NETWORK_LIMITED) !== 0n && !needsOld;
  return (recent ? SERVICE.NETWORK_LIMITED : SERVICE.NETWORK) | SERVICE.WITNESS;
}

const serviceNames: readonly (readonly [bigint, string])[] = [
  [SERVICE.NETWORK, 'NETWORK'],
  [SERVICE.GETUTXO, 'GETUTXO'],
  [SERVICE.BLOOM, 'BLOOM'],
  [SERVICE.WITNESS, 'WITNESS'],
  [SERVICE.COMPACT_FILTERS, 'COMPACT_FILTERS'],
  [SERVICE.NETWORK_LIMITED, 'NETWORK_LIMITED'],
  [SERVICE.P2P_V2, 'P2P_V2'],
];

/** Returns the names of services as getpeerinfo lists them, lowest bit first; unknown bits as `UNKNOWN[2^n]`. */
export function namesOfServices(services: bigint): string[] {
  const names: string[] = [];
  for (let bit = 0n; bit < 64n; bit++) {
    const flag = 1n << bit;
    if ((services & flag) === 0n) continue;
    names.push(serviceNames.find(([known]) => known === flag)?.[1] ?? `UNKNOWN[2^${bit}]`);
  }
  return names;
}

/** Types of inventory entries (protocol.h's GetDataMsg). */
export const INV = {
  TX: 1,
  BLOCK: 2,
  FILTERED_BLOCK: 3,
  CMPCT_BLOCK: 4,
  WTX: 5,
  WITNESS_TX: 0x40000001,
  WITNESS_BLOCK: 0x40000002,
} as const;

/** All messages that this node knows. Others are counted under `*other*`. */
// biome-ignore format: a list reads better filled
export const MESSAGES = [
  'version', 'verack', 'addr', 'addrv2', 'sendaddrv2', 'inv', 'getdata', 'merkleblock', 'getblocks', 'getheaders', 'tx', 'headers', 'block',
  'getaddr', 'mempool', 'ping', 'pong', 'notfound', 'filterload', 'filteradd', 'filterclear', 'sendheaders', 'feefilter', 'sendcmpct',
  'cmpctblock', 'getblocktxn', 'blocktxn', 'getcfilters', 'cfilter', 'getcfheaders', 'cfheaders', 'getcfcheckpt', 'cfcheckpt', 'wtxidrelay',
] as const;
/** Names of MESSAGES, for lookups. */
export const KNOWN_MESSAGES: ReadonlySet<string> = new Set(MESSAGES);
