// Declares getsv2info.
import type { MethodSpec } from '../../declare/types.js';

export const getsv2info: MethodSpec = {
  name: 'getsv2info',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description: 'Figures of the Stratum V2 template provider (-sv2).',
  args: [],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        { type: 'bool', key: 'enabled', help: 'Whether the node runs with -sv2; without it nothing else is given' },
        {
          type: 'arr',
          key: 'addresses',
          optional: true,
          help: 'Where clients connect',
          inner: [{ type: 'str', help: 'host:port' }],
        },
        {
          type: 'str',
          key: 'authoritykey',
          optional: true,
          help: "The authority's public key, as pools and job declarators take it in their configuration",
        },
        { type: 'num', key: 'connections', optional: true, help: 'Open connections, those of clients among them' },
        { type: 'num', key: 'handshakes', optional: true, help: 'Handshakes answered since the start' },
        {
          type: 'obj',
          key: 'templates',
          optional: true,
          help: 'Templates sent since the start, by kind',
          inner: [
            { type: 'num', key: 'empty', help: 'Without transactions, for a new tip' },
            { type: 'num', key: 'full', help: 'With transactions' },
            { type: 'num', key: 'staged', help: 'For a tip to come' },
            { type: 'num', key: 'activated', help: 'Staged ones that a new tip put to use' },
          ],
        },
        {
          type: 'obj',
          key: 'solutions',
          optional: true,
          help: 'Solutions since the start',
          inner: [
            { type: 'num', key: 'received', help: 'All that were read' },
            { type: 'num', key: 'unknown', help: 'For templates that are not known (any more)' },
            { type: 'num', key: 'bad', help: 'That are no block: no proof of work, or a coinbase that does not decode' },
            { type: 'num', key: 'accepted', help: 'In the best chain when they were judged' },
            { type: 'num', key: 'duplicate', help: 'That were in the best chain before' },
            { type: 'num', key: 'lost', help: 'That another block came before; kept in the folder sv2-solutions' },
            { type: 'num', key: 'invalid', help: 'That break a rule; kept in the same folder' },
            { type: 'num', key: 'fault', help: 'That could not be judged and are submitted at the next start' },
            { type: 'num', key: 'resubmitted', help: 'Of an earlier run, submitted again at this start' },
          ],
        },
        {
          type: 'arr',
          key: 'clients',
          optional: true,
          help: 'Clients',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'num', key: 'id', help: 'Number of the connection since the start' },
                { type: 'str', key: 'addr', help: 'Address and port' },
                { type: 'str', key: 'vendor', help: 'What it calls itself' },
                { type: 'str', key: 'firmware', help: 'Its version' },
                { type: 'num-time', key: 'conntime', help: 'When it connected' },
                { type: 'num', key: 'outputsize', optional: true, help: 'Bytes of outputs that it adds to a coinbase, once it said so' },
                { type: 'num', key: 'outputsigops', optional: true, help: 'Sigop cost of them' },
                { type: 'num', key: 'templates', help: 'Templates sent to it' },
                { type: 'num', key: 'solutions', help: 'Solutions read from it' },
                { type: 'num', key: 'bytessent', help: 'Bytes sent' },
                { type: 'num', key: 'bytesrecv', help: 'Bytes received' },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '', rpc: '' }],
};
