// Declares getnetworkinfo.
import { NODE_WARNINGS } from '../../declare/members.js';
import type { MethodSpec } from '../../declare/types.js';

export const getnetworkinfo: MethodSpec = {
  name: 'getnetworkinfo',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'State of the network side of the node.',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'num', key: 'version', help: 'The server version' },
        { type: 'str', key: 'subversion', help: 'What it calls itself' },
        { type: 'num', key: 'protocolversion', help: 'The protocol version' },
        { type: 'hex', key: 'localservices', help: 'The services offered, as bits' },
        { type: 'arr', key: 'localservicesnames', help: 'The same in words', inner: [{ type: 'str', help: 'A service' }] },
        { type: 'bool', key: 'localrelay', help: 'Whether peers may send transactions' },
        { type: 'num', key: 'timeoffset', help: "Offset of the peers' clocks" },
        { type: 'bool', key: 'networkactive', help: 'Whether the network is on' },
        { type: 'num', key: 'connections', help: 'Connections' },
        { type: 'num', key: 'connections_in', help: 'Inbound ones' },
        { type: 'num', key: 'connections_out', help: 'Outbound ones' },
        {
          type: 'arr',
          key: 'networks',
          help: 'By network',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'str', key: 'name', help: 'ipv4, ipv6 or onion' },
                { type: 'bool', key: 'limited', help: 'Whether -onlynet leaves it out' },
                { type: 'bool', key: 'reachable', help: 'Whether it can be reached' },
                { type: 'str', key: 'proxy', help: 'The proxy in use, or nothing' },
                { type: 'bool', key: 'proxy_randomize_credentials', help: 'Whether the proxy gets random credentials' },
              ],
            },
          ],
        },
        { type: 'amount', key: 'relayfee', help: 'Lowest feerate relayed, BTC/kB' },
        { type: 'amount', key: 'incrementalfee', help: 'Step of feerate for replacement, BTC/kB' },
        {
          type: 'arr',
          key: 'localaddresses',
          help: 'Own addresses',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'str', key: 'address', help: 'The address' },
                { type: 'num', key: 'port', help: 'The port' },
                { type: 'num', key: 'score', help: 'The score' },
              ],
            },
          ],
        },
        ...NODE_WARNINGS,
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
