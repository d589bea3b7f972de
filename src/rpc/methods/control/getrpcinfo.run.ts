// Runs getrpcinfo.
import type { NodeRun } from '../../context/node.js';

export const getrpcinfo: NodeRun = (ctx) => {
  const now = ctx.clock.monotonicMs();
  return {
    active_commands: ctx.activeCommands().map(({ method, startedMs }) => ({
      method,
      duration: Math.max(0, Math.round((now - startedMs) * 1000)),
    })),
    logpath: ctx.log.path,
  };
};
