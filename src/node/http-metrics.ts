// Metrics of the port that fronts serve: the same of a node and of a process of fronts.
import type { Fronts } from '../http/server.js';
import type { Metrics } from '../metrics/registry.js';

/** Figures of all fronts. */
export interface HttpFigures {
  waiters: number;
  queued: number;
  refused: number;
  slabsInUse: number;
  slowReadersClosed: number;
  connections: number;
  /** Bytes of replies held for clients that do not read. */
  heldBytes: number;
  readersCutOff: number;
  refusedAuth: number;
  /** How late each front's loop was at most in its last second. */
  loopLag: readonly number[];
  /** Calls answered on fronts alone, by method. */
  frontCalls: readonly { method: string; calls: number; errors: number; seconds: number }[];
}

export interface HttpSources {
  readonly http: () => HttpFigures;
}

/** @param fronts undefined while there are none */
export function httpFigures(fronts: Fronts | undefined): HttpFigures {
  const stats = fronts?.stats();
  const sum = (name: 'connectionsOpen' | 'refusedQueueFull' | 'heldBytes' | 'readersCutOff' | 'refusedAuth'): number =>
    stats?.fronts.reduce((total, front) => total + front[name], 0) ?? 0;
  return {
    waiters: stats?.waiters ?? 0,
    queued: (stats?.link.queued ?? 0) + (stats?.link.running ?? 0),
    refused: sum('refusedQueueFull'),
    slabsInUse: stats?.slabs.busy ?? 0,
    slowReadersClosed: stats?.evictedReaders ?? 0,
    connections: sum('connectionsOpen'),
    heldBytes: sum('heldBytes'),
    readersCutOff: sum('readersCutOff'),
    refusedAuth: sum('refusedAuth'),
    loopLag: stats?.fronts.map((front) => front.loopLagMs / 1000) ?? [],
    frontCalls: [...(stats?.link.methods ?? [])].map(([method, { calls, errors, seconds }]) => ({ method, calls, errors, seconds })),
  };
}

/** Adds the metrics. @param from reads a figure once the fronts are there */
export function addHttpMetrics(metrics: Metrics, from: <T>(read: (s: HttpSources) => T) => () => T | undefined): void {
  metrics.gauge(
    'adit_http_held_bytes',
    'Replies held for clients that do not read',
    from((s) => s.http().heldBytes),
  );
  metrics.total(
    'adit_http_readers_cut_off_total',
    'Connections closed because their replies took too much memory',
    from((s) => s.http().readersCutOff),
  );
  metrics.total(
    'adit_http_auth_refused_total',
    'Requests with wrong credentials',
    from((s) => s.http().refusedAuth),
  );
  metrics.gauge(
    'adit_front_loop_lag_seconds',
    "How late a front's loop was at most in its last second",
    from((s) => s.http().loopLag.map((value, front) => ({ labels: { front: String(front) }, value }))),
    ['front'],
  );
  metrics.gauge(
    'adit_longpoll_waiters',
    'Long polls parked',
    from((s) => s.http().waiters),
  );
  metrics.gauge(
    'adit_http_connections',
    'HTTP connections open',
    from((s) => s.http().connections),
  );
  metrics.gauge(
    'adit_rpc_queue_depth',
    'Calls under way on the node thread',
    from((s) => s.http().queued),
  );
  const perMethod = (read: (call: HttpFigures['frontCalls'][number]) => number) =>
    from((s) => s.http().frontCalls.map((call) => ({ labels: { method: call.method }, value: read(call) })));
  metrics.total(
    'adit_front_calls_total',
    'Calls answered on a front alone, by method',
    perMethod((call) => call.calls),
    ['method'],
  );
  metrics.total(
    'adit_front_call_errors_total',
    'Of these, answered with an error',
    perMethod((call) => call.errors),
    ['method'],
  );
  metrics.total(
    'adit_front_call_seconds_total',
    'Time they took',
    perMethod((call) => call.seconds),
    ['method'],
  );
  metrics.total(
    'adit_rpc_refused_total',
    'Calls refused because the queue was full',
    from((s) => s.http().refused),
  );
  metrics.gauge(
    'adit_template_slabs_in_use',
    'Shared slabs that hold a template someone still reads',
    from((s) => s.http().slabsInUse),
  );
  metrics.total(
    'adit_slow_readers_closed_total',
    'Connections closed because they held the last free slab',
    from((s) => s.http().slowReadersClosed),
  );
}
