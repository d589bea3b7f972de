// Status page at `/` of a front's metrics port: the fleet's nodes as these fronts see them. The browser reloads it every two seconds.
import type { FleetFigures, NodeFigures } from './figures.js';

const style = `
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:4px 12px 4px 0;border-top:1px solid #8884}
.bad{color:#c0392b;font-weight:600}.mono{font-family:ui-monospace,monospace;font-size:12px}
`;

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function state({ alive, stopping, followed, differs, silentMs }: NodeFigures): string {
  if (silentMs < 0) return '<span class="bad">no message yet</span>';
  if (!alive) return `<span class="bad">silent for ${Math.round(silentMs / 1000)} s</span>`;
  if (stopping) return 'stopping';
  if (differs) return '<span class="bad">different tip</span>';
  return followed ? 'followed' : 'synced';
}

/** Returns the page as HTML. */
export function fleetPage({ connected, nodes, switches, callsUnderWay, templates, found }: FleetFigures, waiters: number): string {
  const rows = nodes.map(
    (node) =>
      `<tr><td>${escapeHtml(node.name)}</td><td>${state(node)}</td><td>${node.height}</td><td class="mono">${escapeHtml(node.tipHex)}</td>` +
      `<td>${(node.pays / 1e8).toFixed(8)}</td></tr>`,
  );
  const lines = [
    `Broker: ${connected ? 'connected' : '<span class="bad">no connection</span>'}`,
    nodes.some(({ differs }) => differs) ? '<span class="bad">Nodes disagree about the tip</span>' : 'Nodes agree about the tip',
    `Long polls parked: ${waiters}`,
    `Calls in progress: ${callsUnderWay}`,
    `Changes of the followed node: ${switches}`,
    `Templates: ${templates.pieces + templates.store + templates.node}`,
    `Found blocks stored: ${found.stored}`,
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>adit fleet</title>
<link rel="icon" href="data:,"><style>${style}</style></head><body><h1>Fleet</h1>
<table><tr><th>Node</th><th>State</th><th>Height</th><th>Tip</th><th>Template pays, BTC</th></tr>
${rows.join('\n')}
</table>
<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul></body></html>
`;
}
