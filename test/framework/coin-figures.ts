// Reads gettxoutsetinfo for comparisons.
import type { Daemon } from './daemon.js';

/** Returns all figures that depend on the coins only. The size of the database also depends on the order of writes. */
export async function coinFigures(
  node: Pick<Daemon, 'call'>,
): Promise<{ height: number; txouts: number; total_amount: number; [name: string]: unknown }> {
  const { disk_size: _, ...figures } = await node.call('gettxoutsetinfo');
  return figures;
}
