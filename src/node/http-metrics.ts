// Metrics of the RPC port and of calls. The metrics of the port are the same for a node and for a process of fronts.

import type { FrontsStats } from '../http/server.js';
import type { FrontFigures } from '../link/front-counters.js';
import { type Metrics, type Series, secondsBuckets } from '../metrics/index.js';

type Counted = { readonly [K in keyof FrontFigures]: FrontFigures[K] extends number ? K : never }[keyof FrontFigures];

/** Returns the sum of a figure over all fronts. */
export const ofAll = (stats: FrontsStats | undefined, name: Counted): number =>
  stats?.fronts.reduce((total, front) => total + front[name], 0) ?? 0;

/** Returns the number of calls that are queued or running on the node thread. */
export const underWay = (stats: FrontsStats | undefined): number => (stats === undefined ? 0 : stats.link.queued + stats.link.running);

export function addHttpMetrics(metrics: Metrics, stats: () => FrontsStats | undefined): void {
  const sum = (name: Counted) => (of: FrontsStats) => ofAll(of, name);
  metrics.group(stats, [
    ['adit_http_held_bytes', 'Bytes of replies that clients have not read yet', sum('heldBytes')],
    ['adit_http_readers_cut_off_total', 'Connections closed because their unread replies took too much memory', sum('readersCutOff')],
    ['adit_http_auth_refused_total', 'Requests with wrong credentials', sum('refusedAuth')],
    ['adit_http_connections', 'Open HTTP connections', sum('connectionsOpen')],
    ['adit_rpc_refused_total', 'Calls refused because the queue was full', sum('refusedQueueFull')],
    [
      'adit_front_loop_lag_seconds',
      "How late a front's loop was at most in its last second",
      ({ fronts }) => fronts.map(({ loopLagMs }, front) => [front, loopLagMs / 1000]),
      'front',
    ],
    ['adit_front_heap_bytes', "V8's memory of a front", ({ fronts }) => fronts.map(({ heapBytes }, front) => [front, heapBytes]), 'front'],
    ['adit_longpoll_waiters', 'Long polls that are waiting', ({ waiters }) => waiters],
    ['adit_rpc_queue_depth', 'Calls in progress on the node thread', underWay],
    ['adit_template_slabs_in_use', 'Shared slabs with a template that is still being read', ({ slabs }) => slabs.busy],
    ['adit_slow_readers_closed_total', 'Connections closed because they held the last free slab', ({ evictedReaders }) => evictedReaders],
  ]);
  metrics.group(
    () => [...(stats()?.link.methods ?? [])],
    [
      [
        'adit_front_calls_total',
        'Calls that a front answered without the node thread, by method',
        (of) => of.map(([name, { calls }]) => [name, calls]),
        'method',
      ],
      [
        'adit_front_call_errors_total',
        'Calls that a front answered with an error, by method',
        (of) => of.map(([name, { errors }]) => [name, errors]),
        'method',
      ],
      [
        'adit_front_call_seconds_total',
        'Time of calls that a front answered, by method',
        (of) => of.map(([name, { seconds }]) => [name, seconds]),
        'method',
      ],
    ],
  );
}

/**
 * Adds the metric of call durations on the node thread.
 * @returns a function that records one call
 */
export function addRpcMetrics(metrics: Metrics) {
  const rpc = metrics.quickHistogram('adit_rpc_seconds', 'Time to answer a call on the node thread, by method', secondsBuckets);
  const known = { ok: new Map<string, Series>(), error: new Map<string, Series>() };
  return {
    rpc: (method: string, seconds: number, ok: boolean): void => {
      const result = ok ? 'ok' : 'error';
      let series = known[result].get(method);
      if (!series) known[result].set(method, (series = rpc({ method, result })));
      series.observe(seconds);
    },
  };
}
