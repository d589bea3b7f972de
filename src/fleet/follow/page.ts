// Status page at `/` of a front's metrics port: the fleet's nodes as these fronts see them, and the miners of the process.
// The browser reloads it every two seconds.
import type { FleetFigures, NodeFigures } from './figures.js';

const style = `
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:4px 12px 4px 0;border-top:1px solid #8884}
.bad{color:#c0392b;font-weight:600}.mono{font-family:ui-monospace,monospace;font-size:12px}
`;

/** Figures of the process's Stratum V1 miners since its start. */
export interface MinerFigures {
  readonly miners: number;
  readonly workers: number;
  /** Shares by result. */
  readonly accepted: number;
  readonly refused: number;
  readonly bestShare: number;
  /** Found blocks by result. */
  readonly blocks: number;
  readonly lost: number;
}

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function state({ alive, stopping, followed, differs, silentMs }: NodeFigures): string {
  if (silentMs < 0) return '<span class="bad">no message yet</span>';
  if (!alive) return `<span class="bad">silent for ${Math.round(silentMs / 1000)} s</span>`;
  if (stopping) return 'stopping';
  if (differs) return '<span class="bad">different tip</span>';
  return followed ? 'followed' : 'synced';
}

/** Fills the table of workers: all, or those of the address after `#`. */
const SCRIPT = `
const short = (x, i = 0) => x < 1000 || i === 7 ? x.toPrecision(4) + ' ' + ' kMGTPEZ'[i] : short(x / 1000, i + 1);
(async () => {
  const reply = await fetch('/workers?address=' + encodeURIComponent(location.hash.slice(1)));
  const page = reply.ok ? await reply.json() : null;
  const sum = list => list.reduce((a, b) => a + b, 0);
  for (const w of page ? page.workers : []) {
    const row = document.getElementById('workers').insertRow();
    for (const text of [w.address, w.worker, w.agent, w.sessions, short(w.hashrates[1]) + 'H/s', short(w.hashrates[2]) + 'H/s',
      short(w.bestEver), w.shares[0] + ' / ' + sum(w.shares.slice(1)), w.blocks]) row.insertCell().textContent = text;
  }
})();
`;

function minersSection({ miners, workers, accepted, refused, bestShare, blocks, lost }: MinerFigures): string {
  const lines = [
    `Miners: ${miners}`,
    `Workers with shares: ${workers}`,
    `Shares accepted / refused: ${accepted} / ${refused}`,
    `Best share since the start: ${bestShare.toPrecision(4)}`,
    `Found blocks accepted / lost: ${blocks} / ${lost}`,
  ];
  const heads = ['Address', 'Worker', 'Firmware', 'Connections', '5 minutes', 'Hour', 'Best share', 'Accepted / refused', 'Blocks'];
  return `<h2>Stratum V1 miners</h2>
<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>
<table id="workers"><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></table>
<script>${SCRIPT}</script>
`;
}

/** Returns the page as HTML. @param miners null without -stratum */
export function fleetPage(
  { connected, nodes, switches, callsUnderWay, templates, found }: FleetFigures,
  waiters: number,
  miners: MinerFigures | null,
): string {
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
<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>
${miners === null ? '' : minersSection(miners)}</body></html>
`;
}
