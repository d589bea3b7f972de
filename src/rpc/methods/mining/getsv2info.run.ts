import type { Sv2ClientInfo } from '../../context/mining.js';
import type { NodeRun } from '../../context/node.js';
import type { getsv2info as spec } from './getsv2info.spec.js';

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
