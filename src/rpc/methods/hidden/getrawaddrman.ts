import { TimeSlice } from '../../../lib/time-slice.js';
import type { KnownNode } from '../../context/network.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { dyn, num, obj, str, time } from '../../declare/parts.js';
import { encodeJson, encodeString } from '../../wire/json-write.js';
import { Pieces } from '../../wire/pieces.js';
import { RawJson } from '../../wire/values.js';

export const spec = declare({
  name: 'getrawaddrman',
  category: 'hidden',
  runs: 'node',
  repeatable: true,
  since: 26,
  description: 'Returns all known addresses with their positions in the tables "new" and "tried".',
  args: [],
  results: [
    dyn('Tables', [
      dyn('table', 'Addresses by position (bucket and place)', [
        obj('bucket/position', '', [
          str('address', 'The address'),
          num('mapped_as?', 'Autonomous system of the address (only with -asmap)'),
          num('port', 'The port'),
          num('services', 'The services of the node, as bits'),
          time('time', 'Time at which a peer last announced the address'),
          str('network', 'ipv4, ipv6, onion, i2p or cjdns'),
          str('source', 'Address of the peer that sent this address'),
          str('source_network', 'Network of that peer'),
          num('source_mapped_as?', 'Autonomous system of that peer (only with -asmap)'),
        ]),
      ]),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

const system = (key: string, number: number): Record<string, number> => (number === 0 ? {} : { [key]: number });

/** Writes a table as an object, with positions as keys, in slices: a full table has 65,536 addresses. */
async function tableObject(table: Iterable<readonly [string, KnownNode]>): Promise<RawJson> {
  const pieces = new Pieces(',');
  const slice = new TimeSlice();
  for (const [place, known] of table) {
    const shown = {
      address: known.address,
      ...system('mapped_as', known.system),
      port: known.port,
      services: known.services,
      time: known.time,
      network: known.network,
      source: known.source.address,
      source_network: known.source.network,
      ...system('source_mapped_as', known.source.system),
    };
    pieces.add(`${encodeString(place)}:${encodeJson(shown)}`);
    if (slice.over) await slice.next();
  }
  return new RawJson(`{${pieces.text()}}`);
}

export const getrawaddrman: NodeRun<typeof spec> = async (_, ctx) => {
  const tables = ctx.network.control.addressTables();
  return { new: await tableObject(tables.new), tried: await tableObject(tables.tried) };
};
