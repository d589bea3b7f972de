import { arr, bool, num, obj, str, time } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getsv2info: MethodSpec = {
  name: 'getsv2info',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description: 'Figures of the Stratum V2 template provider (-sv2).',
  args: [],
  results: [
    obj([
      bool('enabled', 'Whether the node runs with -sv2; without it nothing else is given'),
      arr('addresses?', 'Where clients connect', [str('host:port')]),
      str('authoritykey?', "The authority's public key, as pools and job declarators take it in their configuration"),
      num('connections?', 'Open connections, those of clients among them'),
      num('handshakes?', 'Handshakes answered since the start'),
      obj('templates?', 'Templates sent since the start, by kind', [
        num('empty', 'Without transactions, for a new tip'),
        num('full', 'With transactions'),
        num('staged', 'For a tip to come'),
        num('activated', 'Staged ones that a new tip put to use'),
      ]),
      obj('solutions?', 'Solutions since the start', [
        num('received', 'All that were read'),
        num('unknown', 'For templates that are not known (any more)'),
        num('bad', 'That are no block: no proof of work, or a coinbase that does not decode'),
        num('accepted', 'In the best chain when they were judged'),
        num('duplicate', 'That were in the best chain before'),
        num('lost', 'That another block came before; kept in the folder sv2-solutions'),
        num('invalid', 'That break a rule; kept in the same folder'),
        num('fault', 'That could not be judged and are submitted at the next start'),
        num('resubmitted', 'Of an earlier run, submitted again at this start'),
      ]),
      arr('clients?', 'Clients', [
        obj([
          num('id', 'Number of the connection since the start'),
          str('addr', 'Address and port'),
          str('vendor', 'What it calls itself'),
          str('firmware', 'Its version'),
          time('conntime', 'When it connected'),
          num('outputsize?', 'Bytes of outputs that it adds to a coinbase, once it said so'),
          num('outputsigops?', 'Sigop cost of them'),
          num('templates', 'Templates sent to it'),
          num('solutions', 'Solutions read from it'),
          num('bytessent', 'Bytes sent'),
          num('bytesrecv', 'Bytes received'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
};
