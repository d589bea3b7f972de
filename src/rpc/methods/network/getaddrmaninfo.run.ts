import type { NodeRun } from '../../context/node.js';
import type { getaddrmaninfo as spec } from './getaddrmaninfo.spec.js';

export const getaddrmaninfo: NodeRun<typeof spec> = (_, ctx) => {
  const all = { new: 0, tried: 0, total: 0 };
  const out: Record<string, typeof all> = {};
  for (const [network, count] of ctx.network.control.addressCounts()) {
    const total = count.new + count.tried;
    out[network] = { new: count.new, tried: count.tried, total };
    all.new += count.new;
    all.tried += count.tried;
    all.total += total;
  }
  return { ...out, all_networks: all };
};
