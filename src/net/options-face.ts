// Face of this module for src/config: the options of the network, and addresses in them.
export { NET_ROWS, PEER_ROWS } from './option-rows.js';
export { type NetOptions, NO_PERMISSIONS, type Permissions, type ProxyPlace } from './options.js';
export { parseSubnet } from './peer/bans.js';
export { type NetAddress, parseHost, splitHostPort } from './wire/net-address.js';
export { SERVICE } from './wire/protocol.js';
