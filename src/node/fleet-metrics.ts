// Metrics of a fleet: of a publishing node, and of a process of fronts. Without -fleet a node's metrics have no
// samples.
import type { FleetFigures } from '../fleet/follow/index.js';
import type { PublishFigures } from '../fleet/publish/counters.js';
import type { FrontsStats } from '../http/server.js';
import { Metrics, type OnMetricFault } from '../metrics/index.js';
import { addHttpMetrics } from './http-metrics.js';
import type { FindMetricSources } from './metric-sources.js';
import { addStratumMetrics, type StratumMeasures } from './stratum-metrics.js';
import { addSv2Metrics, type Sv2Figures } from './sv2-metrics.js';

export function addPublisherMetrics(metrics: Metrics, sources: FindMetricSources): void {
  metrics.group(
    () => sources()?.fronts()?.stats().remote as PublishFigures | undefined,
    [
      ['adit_fleet_publisher_connected', '1 while this node is connected to the broker of its fleet', (f) => f.connected],
      ['adit_fleet_facts_total', 'Facts published', (f) => f.facts],
      ['adit_fleet_published_templates_total', 'Templates published', (f) => f.templates],
      ['adit_fleet_published_bytes_total', 'Bytes of transactions published, compressed', (f) => f.templateBytes],
      ['adit_fleet_calls_running', 'Calls of fronts in progress on this node', (f) => f.callsUnderWay],
      ['adit_fleet_calls_taken_total', 'Calls of fronts that this node accepted', (f) => f.callsTaken],
      [
        'adit_fleet_calls_refused_total',
        'Calls of fronts that this node refused: it was stopping, its queue was full, or the account may not call',
        (f) => f.callsRefused,
      ],
      ['adit_fleet_found_blocks_judged_total', 'Found blocks that this node received from the stream', (f) => f.foundBlocks],
    ],
  );
}

/** Sources of the metrics of a process of fronts. */
export interface FrontSources {
  readonly http: () => FrontsStats;
  readonly fleet: () => FleetFigures;
  /** Returns undefined without -sv2. */
  readonly sv2: () => Sv2Figures | undefined;
  /** undefined without -stratum. */
  readonly stratum: () => StratumMeasures | undefined;
  readonly onFault?: OnMetricFault;
}

/** Creates the registry of a process of fronts. */
export function createFrontMetrics({ http, fleet, sv2, stratum, onFault }: FrontSources): Metrics {
  const metrics = new Metrics(onFault).withProcess();
  addHttpMetrics(metrics, http);
  addSv2Metrics(metrics, sv2);
  addStratumMetrics(metrics, stratum);
  metrics.group(
    () => fleet().nodes,
    [
      ['adit_fleet_node_alive', '1 while a node is heard and takes part', (of) => of.map((n) => [n.name, Number(n.alive)]), 'node'],
      [
        'adit_fleet_node_followed',
        '1 for the node whose tip and templates are given out',
        (of) => of.map((n) => [n.name, Number(n.followed)]),
        'node',
      ],
      ['adit_fleet_node_height', "Height of a node's tip", (of) => of.map((n) => [n.name, n.height]), 'node'],
      [
        'adit_fleet_node_differs',
        '1 while a node that is heard has another tip than the one that is followed',
        (of) => of.map((n) => [n.name, Number(n.differs)]),
        'node',
      ],
      [
        'adit_fleet_node_silence_seconds',
        'Seconds since the last message of a node; -1 before the first',
        (of) => of.map((n) => [n.name, n.silentMs / 1000]),
        'node',
      ],
    ],
  );
  metrics.group(fleet, [
    ['adit_fleet_broker_connected', '1 while these fronts are connected to the broker', (f) => Number(f.connected)],
    ['adit_fleet_switches_total', 'Switches to another node', (f) => f.switches],
    [
      'adit_fleet_templates_total',
      'Templates received, by the source of their transactions',
      ({ templates }) => Object.entries(templates),
      'by',
    ],
    ['adit_fleet_template_bytes_total', 'Bytes of transactions received, compressed', (f) => f.templateBytes],
    ['adit_fleet_calls_under_way', 'Calls to nodes without a reply yet', (f) => f.callsUnderWay],
    [
      'adit_fleet_calls_total',
      'Calls sent to a node, by outcome; unknown: sent, but the node disappeared before it replied',
      ({ calls }) => Object.entries(calls),
      'end',
    ],
    [
      'adit_fleet_found_blocks_total',
      'Found blocks, by result of storing them in the stream',
      ({ found }) => Object.entries(found),
      'state',
    ],
  ]);
  return metrics;
}
