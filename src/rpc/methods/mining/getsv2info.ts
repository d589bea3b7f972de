import type { Sv2ClientInfo } from '../../context/mining.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, bool, num, obj, str, time } from '../../declare/parts.js';

export const spec = declare({
  name: 'getsv2info',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description: 'Returns the state of the Stratum V2 template provider (-sv2).',
  args: [],
  results: [
    obj([
      bool('enabled', 'Whether the node runs with -sv2. If not, all other members are absent'),
      arr('addresses?', 'Addresses to which clients connect', [str('host:port')]),
      str('authoritykey?', 'Public key of the authority, for the configuration of pools and job declarators'),
      num('connections?', 'Number of open connections, including those of clients'),
      num('handshakes?', 'Number of handshakes since the start'),
      obj('templates?', 'Number of templates sent since the start, by kind', [
        num('empty', 'Empty templates for a new tip'),
        num('full', 'Templates with transactions'),
        num('staged', 'Templates for a future tip'),
        num('activated', 'Templates for a future tip that a new tip activated'),
      ]),
      obj('solutions?', 'Submitted solutions since the start', [
        num('received', 'Number of received solutions'),
        num('unknown', 'Solutions for templates that are unknown or too old'),
        num('bad', 'Solutions without proof of work, or with a coinbase that does not decode'),
        num('accepted', 'Blocks that became part of the best chain'),
        num('duplicate', 'Blocks that were already in the best chain'),
        num('lost', 'Blocks that lost to another block. They are kept in the folder sv2-solutions'),
        num('invalid', 'Invalid blocks. They are kept in the same folder'),
        num('fault', 'Blocks that could not be checked. The next start submits them again'),
        num('resubmitted', 'Blocks of an earlier run that this start submitted again'),
      ]),
      arr('clients?', 'Clients', [
        obj([
          num('id', 'Number of the connection since the start'),
          str('addr', 'Address and port'),
          str('vendor', 'Name that the client gives itself'),
          str('firmware', 'Its version'),
          time('conntime', 'Time of the connection'),
          num('outputsize?', 'Bytes of outputs that the client adds to a coinbase. Absent until the client has sent them'),
          num('outputsigops?', 'Signature operation cost of these outputs'),
          num('templates', 'Number of templates sent to the client'),
          num('solutions', 'Number of solutions received from the client'),
          num('bytessent', 'Bytes sent'),
          num('bytesrecv', 'Bytes received'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

export const getsv2info: NodeRun<typeof spec> = async (_, { sv2 }) => {
  if (sv2 === null) return { enabled: false };
  const clients = await sv2.clients();
  const figures = sv2.figures();
  return {
    enabled: true,
    addresses: [...sv2.addresses],
    authoritykey: sv2.authorityKey,
    connections: figures.connectionsOpen,
    handshakes: figures.handshakes,
    templates: {
      empty: figures.templatesEmpty,
      full: figures.templatesFull,
      staged: figures.templatesStaged,
      activated: figures.activated,
    },
    solutions: {
      received: figures.solutionsRead,
      unknown: figures.solutionsUnknown,
      bad: figures.solutionsBad,
      ...sv2.solutions(),
    },
    clients: clients.map(clientInfo),
  };
};

function clientInfo(client: Sv2ClientInfo) {
  const { constraints } = client;
  return {
    id: client.id,
    addr: client.address,
    vendor: client.vendor,
    firmware: client.firmware,
    conntime: Math.floor(client.connectedMs / 1000),
    outputsize: constraints?.maxAdditionalSize,
    outputsigops: constraints?.maxAdditionalSigops,
    templates: client.templatesSent,
    solutions: client.solutions,
    bytessent: client.bytesSent,
    bytesrecv: client.bytesReceived,
  };
}
