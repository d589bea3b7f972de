import { ADDED, follows } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, bool, dyn, hex, num, obj, str, time } from '../../declare/parts.js';

export const spec = declare({
  name: 'getpeerinfo',
  category: 'network',
  runs: 'node',
  repeatable: true,
  description: 'Returns data about each connected peer.',
  args: [],
  results: [
    arr([
      obj([
        num('id', 'Number of the peer'),
        str('addr', 'Address and port of the peer'),
        str('addrbind?', 'Address and port of this node'),
        str('addrlocal?', 'Address of this node as the peer sees it'),
        str(
          'network',
          'Network of the connection (ipv4, ipv6, onion, i2p, cjdns, not_publicly_routable). With -compat=0.21.1 the last one is unroutable',
        ),
        num('mapped_as?', "Autonomous system of the peer's address (only with -asmap)"),
        hex('services', 'The services of the node, as bits'),
        arr('servicesnames', 'The services by name', [str('A service')]),
        bool('relaytxes', 'Whether the peer wants announcements of transactions'),
        num('last_inv_sequence', 'Sequence number of the mempool when transactions were last announced to the peer', { since: 31 }),
        num('inv_to_send', 'Number of transactions that are still to be announced to the peer', { since: 31 }),
        time('lastsend', 'Time of the last message sent'),
        time('lastrecv', 'Time of the last message received'),
        time('last_transaction', 'Time of the last valid transaction received'),
        time('last_block', 'Time of the last block received'),
        num('bytessent', 'Bytes sent'),
        num('bytesrecv', 'Bytes received'),
        time('conntime', 'Time of the connection'),
        num('timeoffset', "Seconds by which the peer's clock is ahead"),
        num('pingtime?', 'Time of the last ping in seconds'),
        num('minping?', 'Time of the fastest ping in seconds'),
        num('pingwait?', 'Seconds since a ping that has not been answered yet'),
        num('version', 'Protocol version'),
        str('subver', 'User agent of the peer'),
        bool('inbound', 'Whether the peer connected to this node'),
        bool('addnode?', 'Whether addnode made the connection (only with -deprecatedrpc=getpeerinfo_addnode)'),
        bool('bip152_hb_to', 'Whether this node asks the peer to send compact blocks without announcement (BIP152)', { since: 22 }),
        bool('bip152_hb_from', 'Whether the peer asks this node for that', { since: 22 }),
        num('startingheight', "Height of the peer's tip at the time of the connection", { until: 32 }),
        num('banscore?', 'Score of misbehaviour (only with -deprecatedrpc=banscore)'),
        num('presynced_headers', 'Height of the header presync with this peer, -1 if there is none', { since: 24 }),
        num('synced_headers', 'Height of the last header in common'),
        num('synced_blocks', 'Height of the last block in common'),
        arr('inflight', '', [num('Height of a block that this node has requested from the peer')]),
        bool('addr_relay_enabled', 'Whether addresses are exchanged with the peer', { since: 23 }),
        num('addr_processed', 'Number of addresses of this peer that were processed', { since: 23 }),
        num('addr_rate_limited', 'Number of addresses of this peer that were dropped because of the rate limit', { since: 23 }),
        bool('whitelisted?', 'Whether the peer has implicit permissions (only with -deprecatedrpc=whitelisted)'),
        arr('permissions', '', [str('A permission of the peer')]),
        amount('minfeefilter', 'Fee rate below which the peer wants no transactions, BTC/kvB'),
        dyn('bytessent_per_msg', '', [num('msg', 'Bytes sent in messages of this type')]),
        dyn('bytesrecv_per_msg', '', [num('msg', 'Bytes received in messages of this type')]),
        str('connection_type', 'Type of the connection'),
        str('transport_protocol_type', 'v1, v2 or detecting', { since: 26 }),
        str('session_id', 'Session id of an encrypted connection (BIP324), or an empty text', { since: 26 }),
        obj('compact_blocks', 'Outcome of the compact blocks of this peer', { since: ADDED }, [
          num('complete', 'Blocks that were reconstructed without a request'),
          num('asked', 'Blocks whose missing transactions were requested'),
          num('failed', 'Blocks that were requested as a whole'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

/** Replaces the name of unknown networks, `unroutable`, by `not_publicly_routable` if a release since 22 is followed. */
export const getpeerinfo: NodeRun<typeof spec> = (_, ctx) =>
  ctx.network
    .peers()
    .map((peer) => (peer.network === 'unroutable' && follows(ctx.compat, 22) ? { ...peer, network: 'not_publicly_routable' } : peer));
