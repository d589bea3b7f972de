// Face of this module for the node thread.
export type { AddressInfo, AddrManager } from './address/addr-manager.js';
export { AsMap, MAX_ASMAP_BYTES } from './address/asmap.js';
export { Net } from './net.js';
export { DEFAULT_NET, type NetOptions, type ProxyPlace } from './options.js';
export { outboundTargets } from './peer/auto-connect.js';
export { type Bans, parseSubnet, subnetContains, subnetText } from './peer/bans.js';
export type { Connections } from './peer/connections.js';
export { BindError } from './peer/connector.js';
export type { Peer } from './peer/peer.js';
export { OTHER } from './peer/peer-connection.js';
export { namesOfPermissions } from './peer/permissions.js';
export { Routes } from './peer/routes.js';
export { BLOCK_STAGES, type BlockStage } from './relay/block-times.js';
export { COMPACT_CAUSE_NAMES, COMPACT_CAUSES, outcomesOf } from './relay/compact-stats.js';
export { SyncProgress } from './sync/sync-progress.js';
export { addressText, hostText, isRoutable, NETWORK_NAMES, type NetAddress, parseHost } from './wire/net-address.js';
export { MESSAGES, namesOfServices, SERVICE } from './wire/protocol.js';
