// Every metric is on a dashboard, and every figure on a dashboard exists.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import { createFrontMetrics, type FrontSources } from '../../../src/node/fleet-metrics.js';
import { createMetrics } from '../../../src/node/metrics.js';

const folder = path.resolve(import.meta.dirname, '../../../../grafana');
const dashboards = fs.readdirSync(folder).filter((file) => file.endsWith('.json'));
const expressions = dashboards.flatMap((file) => {
  const dashboard = JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8')) as { panels: { targets?: { expr: string }[] }[] };
  return dashboard.panels.flatMap((panel) => (panel.targets ?? []).map((target) => target.expr));
});
const shown = new Set(
  expressions.flatMap((expr) => expr.match(/\b(?:adit|bitcoin)_[a-z0-9_]+/g) ?? []).map((name) => name.replace(/_(bucket|count|sum)$/, '')),
);

const NOTHING = { nodes: [], templates: {}, calls: {}, found: {} };

t.test('dashboards show every metric, and only metrics that exist', async (t) => {
  const { metrics } = createMetrics(() => undefined, new ListenerGuard({ error: () => {} }));
  // The test uses only their names: nothing is scraped.
  const ofFronts = createFrontMetrics({
    http: () => undefined,
    fleet: () => NOTHING,
    sv2: () => undefined,
    stratum: () => undefined,
  } as unknown as FrontSources);
  const names = [...new Set([...(await metrics.names()), ...(await ofFronts.names())])];
  t.ok(names.length > 50 && dashboards.length >= 2);
  t.same(
    names.filter((name) => !shown.has(name)),
    [],
    'metrics on no dashboard',
  );
  t.same(
    [...shown].filter((name) => !names.includes(name)),
    [],
    'dashboards ask for what does not exist',
  );
});
