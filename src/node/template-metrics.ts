// Metrics of templates.
import { type Metrics, secondsBuckets } from '../metrics/index.js';
import type { TemplateService } from '../template/index.js';
import type { FindMetricSources } from './metric-sources.js';

/** Returns figures of the current template; undefined if there is none. */
export function templateFigures(templates: TemplateService) {
  const facts = templates.current();
  const age = templates.stats().ageSeconds;
  if (facts === null || age === null) return undefined;
  return { height: facts.height, age, transactions: facts.txCount, weight: facts.weight, fees: facts.fees };
}

/**
 * Adds the metrics.
 * @returns histograms for the durations
 */
export function addTemplateMetrics(metrics: Metrics, sources: FindMetricSources) {
  const figures = () => {
    const templates = sources()?.templates;
    return templates && templateFigures(templates);
  };
  metrics.group(figures, [
    ['adit_template_age_seconds', 'Age of the current template', (template) => template.age],
    ['adit_template_height', 'Height of the block that the current template is for', (template) => template.height],
    ['adit_template_transactions', 'Transactions in the current template', (template) => template.transactions],
    ['adit_template_weight', 'Weight of the current template', (template) => template.weight],
    ['adit_template_fees_sats', 'Fees of the current template', (template) => template.fees],
  ]);
  metrics.gauge(sources, [
    'adit_clock_behind',
    '1 while the clock is so far behind the tip that there are no templates, else 0',
    ({ templates }) => Number(templates.clockBehind),
  ]);
  return {
    templateBuild: metrics.histogram('adit_template_build_seconds', 'Time to build a template', secondsBuckets),
    tipToTemplate: metrics.histogram('adit_tip_to_template_seconds', 'Seconds from a new tip to its first template', secondsBuckets),
  };
}
