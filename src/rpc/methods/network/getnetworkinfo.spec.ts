import { NODE_WARNINGS } from '../../declare/members.js';
import { amount, arr, bool, hex, num, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getnetworkinfo: MethodSpec = {
  name: 'getnetworkinfo',
  category: 'network',
  runs: 'node',
  repeatable: true,
  cacheable: true,
  description: 'State of the network side of the node.',
  args: [],
  results: [
    obj([
      num('version', 'The server version'),
      str('subversion', 'What it calls itself'),
      num('protocolversion', 'The protocol version'),
      hex('localservices', 'The services offered, as bits'),
      arr('localservicesnames', 'The same in words', [str('A service')]),
      bool('localrelay', 'Whether peers may send transactions'),
      num('timeoffset', "Offset of the peers' clocks"),
      bool('networkactive', 'Whether the network is on'),
      num('connections', 'Connections'),
      num('connections_in', 'Inbound ones'),
      num('connections_out', 'Outbound ones'),
      arr('networks', 'By network', [
        obj([
          str('name', 'ipv4, ipv6, onion, i2p or cjdns; with -compat=0.21.1 only the first three'),
          bool('limited', 'Whether -onlynet leaves it out'),
          bool('reachable', 'Whether it can be reached'),
          str('proxy', 'The proxy in use, or nothing'),
          bool('proxy_randomize_credentials', 'Whether the proxy gets random credentials'),
        ]),
      ]),
      amount('relayfee', 'Lowest feerate relayed, BTC/kB'),
      amount('incrementalfee', 'Step of feerate for replacement, BTC/kB'),
      arr('localaddresses', 'Own addresses', [obj([str('address', 'The address'), num('port', 'The port'), num('score', 'The score')])]),
      ...NODE_WARNINGS,
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
