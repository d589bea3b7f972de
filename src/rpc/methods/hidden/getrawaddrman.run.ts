import { Slicer } from '../../../lib/slicer.js';
import type { KnownNode } from '../../context/network.js';
import type { NodeRun } from '../../context/node.js';
import { encodeJson, encodeString } from '../../wire/json-write.js';
import { Pieces } from '../../wire/pieces.js';
import { RawJson } from '../../wire/values.js';
import type { getrawaddrman as spec } from './getrawaddrman.spec.js';

const system = (key: string, number: number): Record<string, number> => (number === 0 ? {} : { [key]: number });

/** Writes a table as an object, with positions as keys, in slices: a full table has 65,536 addresses. */
async function tableObject(table: Iterable<readonly [string, KnownNode]>, slicer: Slicer): Promise<RawJson> {
  const pieces = new Pieces(',');
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
    if (slicer.due) await slicer.pause();
  }
  return new RawJson(`{${pieces.text()}}`);
}

export const getrawaddrman: NodeRun<typeof spec> = async (_, ctx, call) => {
  const tables = ctx.network.control.addressTables();
  const slicer = new Slicer(call.yieldToUrgent);
  return { new: await tableObject(tables.new, slicer), tried: await tableObject(tables.tried, slicer) };
};
