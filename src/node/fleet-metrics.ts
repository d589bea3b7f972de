// Metrics of a fleet: of a node that publishes, and of a process of fronts that follows. Without -fleet a node's have
// no samples.
import type { FleetFigures } from '../fleet/follow/figures.js';
import type { PublishFigures } from '../fleet/publish/counters.js';
import { Metrics, type Sample } from '../metrics/registry.js';
import { addHttpMetrics, type HttpSources } from './http-metrics.js';
import { addSv2Metrics, type Sv2Sources } from './sv2-metrics.js';

export interface FleetNodeSources {
  /** undefined without -fleet. */
  readonly fleetNode: () => PublishFigures | undefined;
}

/** What a process of fronts is asked for. */
export interface FrontSources extends HttpSources, Sv2Sources {
  readonly fleet: () => FleetFigures;
}

/** Adds a node's metrics. @param from reads a figure once the rooms are there */
export function addFleetNodeMetrics(metrics: Metrics, from: <T>(read: (s: FleetNodeSources) => T) => () => T | undefined): void {
  const of = (read: (figures: PublishFigures) => number): (() => Sample) =>
    from((s) => {
      const figures = s.fleetNode();
      return figures === undefined ? undefined : read(figures);
    });
  metrics.gauge(
    'adit_fleet_publisher_connected',
    '1 while this node is connected to the broker of its fleet',
    of((f) => f.connected),
  );
  metrics.total(
    'adit_fleet_facts_total',
    'Facts published',
    of((f) => f.facts),
  );
  metrics.total(
    'adit_fleet_published_templates_total',
    'Templates published',
    of((f) => f.templates),
  );
  metrics.total(
    'adit_fleet_published_bytes_total',
    'Bytes of transactions published, compressed',
    of((f) => f.templateBytes),
  );
  metrics.gauge(
    'adit_fleet_calls_running',
    'Calls of fronts that this node is at',
    of((f) => f.callsUnderWay),
  );
  metrics.total(
    'adit_fleet_calls_taken_total',
    'Calls of fronts that this node took',
    of((f) => f.callsTaken),
  );
  metrics.total(
    'adit_fleet_calls_refused_total',
    'Calls of fronts that this node refused: it was stopping, its queue was full, or the account may not call',
    of((f) => f.callsRefused),
  );
  metrics.total(
    'adit_fleet_found_blocks_judged_total',
    'Found blocks that this node got from the stream',
    of((f) => f.foundBlocks),
  );
}

/** The registry of a process of fronts. */
export function createFrontMetrics(sources: FrontSources): Metrics {
  const metrics = new Metrics().withProcess();
  const from =
    <T>(read: (s: FrontSources) => T): (() => T) =>
    () =>
      read(sources);
  addHttpMetrics(metrics, from);
  addSv2Metrics(metrics, from);
  const perNode = (read: (node: FleetFigures['nodes'][number]) => number): (() => Sample) =>
    from((s) => s.fleet().nodes.map((node) => ({ labels: { node: node.name }, value: read(node) })));
  const each = (label: string, read: (figures: FleetFigures) => Readonly<Record<string, number>>): (() => Sample) =>
    from((s) => Object.entries(read(s.fleet())).map(([name, value]) => ({ labels: { [label]: name }, value })));
  metrics.gauge(
    'adit_fleet_broker_connected',
    '1 while these fronts are connected to the broker',
    from((s) => Number(s.fleet().connected)),
  );
  metrics.gauge(
    'adit_fleet_node_alive',
    '1 while a node is heard and takes part',
    perNode((node) => Number(node.alive)),
    ['node'],
  );
  metrics.gauge(
    'adit_fleet_node_followed',
    '1 for the node whose tip and templates are given out',
    perNode((node) => Number(node.followed)),
    ['node'],
  );
  metrics.gauge(
    'adit_fleet_node_height',
    "Height of a node's tip",
    perNode((node) => node.height),
    ['node'],
  );
  metrics.gauge(
    'adit_fleet_node_differs',
    '1 while a node that is heard has another tip than the one that is followed',
    perNode((node) => Number(node.differs)),
    ['node'],
  );
  metrics.gauge(
    'adit_fleet_node_silence_seconds',
    'Time since a node was last heard; -1 before',
    perNode((node) => node.silentMs / 1000),
    ['node'],
  );
  metrics.total(
    'adit_fleet_switches_total',
    'Times that another node was followed',
    from((s) => s.fleet().switches),
  );
  metrics.total(
    'adit_fleet_templates_total',
    'Templates taken, by the way their transactions came',
    each('by', (f) => f.templates),
    ['by'],
  );
  metrics.total(
    'adit_fleet_template_bytes_total',
    'Bytes of transactions received, compressed',
    from((s) => s.fleet().templateBytes),
  );
  metrics.gauge(
    'adit_fleet_calls_under_way',
    'Calls on their way to nodes',
    from((s) => s.fleet().callsUnderWay),
  );
  metrics.total(
    'adit_fleet_calls_total',
    'Calls sent to a node, by how they ended; unknown: let go, and the node went away',
    each('end', (f) => f.calls),
    ['end'],
  );
  metrics.total(
    'adit_fleet_found_blocks_total',
    'Found blocks: stored in the stream, and failed tries to do so',
    each('state', (f) => f.found),
    ['state'],
  );
  return metrics;
}
