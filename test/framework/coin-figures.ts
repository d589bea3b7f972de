// gettxoutsetinfo for comparisons.
import type { Daemon } from './daemon.js';

/** Everything that follows from the coins themselves; the database's size on disk depends on how they came there. */
export async function coinFigures(
  node: Pick<Daemon, 'call'>,
): Promise<{ height: number; txouts: number; total_amount: number; [name: string]: unknown }> {
  const { disk_size: _, ...figures } = await node.call('gettxoutsetinfo');
  return figures;
}
