// The page at `/` of the metrics port. It loads no other files, so it works without internet access. It contains the status
// at the time of the request. Later states arrive as server-sent events from /events (node/status.ts).

/** Figures of the page. Times in seconds unless named otherwise, amounts in satoshi, fee rates in satoshi per kvB. */
export interface Status {
  readonly version: string;
  readonly chain: string;
  /** Sentences about problems for the operator; empty if there are none. */
  readonly problems: readonly string[];
  readonly initialBlockDownload: boolean;
  readonly uptime: number;
  readonly now: number;
  readonly tip: { readonly height: number; readonly hash: string; readonly time: number; readonly difficulty: number };
  readonly headers: number;
  readonly peers: { readonly in: number; readonly out: number };
  readonly sync: unknown;
  readonly compact: unknown;
  /** `reward`: fees and subsidy. `bars`: weight by fee rate. */
  readonly template: unknown;
  readonly waiters: number;
  readonly connections: number;
  /** Calls in progress. */
  readonly queued: number;
  readonly refused: number;
  readonly submissions: {
    readonly counts: Readonly<Record<string, number>>;
    readonly newest: readonly { readonly hash: string; readonly client: string; readonly outcome: string; readonly time: number }[];
  };
  readonly sv2: unknown;
  /** Stratum V1 miners; null without -stratum. `lastShare`: seconds since 1970, 0 if there was none since the start. */
  readonly stratum: Readonly<
    Record<'miners' | 'workers' | 'bestShare' | 'lastShare' | 'accepted' | 'refused' | 'blocks' | 'lost', number>
  > | null;
  readonly mempool: { readonly size: number; readonly bytes: number; readonly usage: number; readonly minFeeRate: number };
  /** Free bytes of the disk with the data folder; null if unknown. */
  readonly diskFreeBytes: number | null;
  readonly blocks: readonly unknown[];
  readonly threads: readonly unknown[];
}

const style = `
:root { color-scheme: light dark; --bg: #f6f5f1; --card: #fff; --ink: #1d2326; --dim: #6b757b; --line: #e2e0d8; --hot: #c8641b;
  --ok: #2d7d5a; --bad: #b3372f; --bar: #d98d4a }
@media (prefers-color-scheme: dark) { :root { --bg: #15191b; --card: #1e2427; --ink: #e7e9e8; --dim: #8e999f; --line: #2f373b;
  --hot: #f0a05a; --ok: #6cc69b; --bad: #ef8178; --bar: #b4703a } }
* { box-sizing: border-box }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.45 system-ui, sans-serif }
header, main { max-width: 1240px; margin: 0 auto }
header { display: flex; gap: .8em; align-items: baseline; padding: 14px 18px; flex-wrap: wrap }
h1 { font-size: 19px; margin: 0 }
header span { color: var(--dim) }
#live { margin-left: auto; font-size: 13px }
#live.ok { color: var(--ok) }
#live.bad { color: var(--bad) }
main { display: grid; gap: 12px; padding: 0 18px 24px; grid-template-columns: repeat(12, 1fr) }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; grid-column: span 4; min-width: 0 }
section.wide { grid-column: span 8 }
section.full { grid-column: span 12 }
#state { padding: 10px 16px; border-left: 6px solid var(--ok) }
#state.bad { border-left-color: var(--bad) }
#state ul { margin: 0; padding: 0; list-style: none }
h2 { font-size: 12px; letter-spacing: .06em; text-transform: uppercase; color: var(--dim); margin: 0 0 8px; font-weight: 600 }
.big { font-size: 30px; font-weight: 650; font-variant-numeric: tabular-nums; line-height: 1.15 }
.dim { color: var(--dim) }
.mono { font-family: ui-monospace, monospace; font-size: 12.5px; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 14px; margin: 8px 0 0 }
dt { color: var(--dim) }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums }
dd span { white-space: nowrap }
.fill { height: 8px; border-radius: 4px; background: var(--line); overflow: hidden; margin-top: 10px }
.fill i { display: block; height: 100%; background: var(--hot) }
.bars { display: flex; align-items: flex-end; gap: 3px; height: 120px; margin-top: 6px }
.bars div { flex: 1; background: var(--bar); border-radius: 3px 3px 0 0; min-height: 1px }
.axis { display: flex; gap: 3px; color: var(--dim); font-size: 11px }
.axis span { flex: 1; text-align: center }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px }
th { color: var(--dim); font-weight: 500; text-align: right; font-size: 12px; padding: 0 0 4px 12px }
td { text-align: right; border-top: 1px solid var(--line); padding: 5px 0 5px 12px; white-space: nowrap }
th:first-child, td:first-child { text-align: left; padding-left: 0 }
.words th, .words td { text-align: left }
.words th:last-child, .words td:last-child { text-align: right }
input { width: 100%; padding: 6px 8px; background: var(--bg); color: var(--ink); border: 1px solid var(--line); border-radius: 6px }
@media (max-width: 820px) {
  main { grid-template-columns: 1fr; padding: 0 12px 20px }
  section, section.wide, section.full { grid-column: auto }
  .axis span:nth-child(even) { visibility: hidden }
  table { font-size: 13px }
  td, th { padding-left: 7px }
  .less { display: none }
}
`;

const script = `
const $ = id => document.getElementById(id);
const n = x => x == null ? '–' : Number(x).toLocaleString('en');
const btc = sats => sats == null ? '–' : (sats / 1e8).toFixed(8);
const span = s => {
  s = Math.max(0, Math.round(s));
  return s < 90 ? s + ' s' : s < 5400 ? Math.round(s / 60) + ' min' : s < 172800 ? Math.round(s / 3600) + ' h' : Math.round(s / 86400) + ' d';
};
const size = bytes => bytes >= 1e12 ? (bytes / 1e12).toFixed(2) + ' TB' : bytes >= 1e9 ? (bytes / 1e9).toFixed(1) + ' GB' : (bytes / 1e6).toFixed(1) + ' MB';
const short = x => {
  let unit = 0;
  while (x >= 1000 && unit < 7) { x /= 1000; unit++ }
  return x.toPrecision(3) + ' ' + ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Z'][unit];
};
const put = (id, text) => { const e = $(id); if (e.textContent !== text) e.textContent = text };
const element = (tag, text, more) => Object.assign(document.createElement(tag), { textContent: text, ...more });
const rows = (id, list) => {
  const classes = [...$(id).parentNode.querySelectorAll('th')].map(th => th.className);
  $(id).replaceChildren(...list.map(cells => {
    const tr = document.createElement('tr');
    cells.forEach((text, i) => tr.append(element('td', text, { className: classes[i] || '' })));
    return tr;
  }));
};
function show(d) {
  $('state').className = d.problems.length ? 'full bad' : 'full';
  $('problems').replaceChildren(...(d.problems.length ? d.problems : ['All is well.']).map(text => element('li', text)));
  put('chain', d.chain + (d.initialBlockDownload ? ' · initial block download' : ''));
  put('version', d.version + ' · up ' + span(d.uptime));
  put('height', n(d.tip.height)); put('hash', d.tip.hash);
  put('tipage', span(d.now - d.tip.time) + ' ago'); put('difficulty', Number(d.tip.difficulty).toPrecision(4));
  put('headers', n(d.headers));
  put('peers', n(d.peers.out) + ' outbound, ' + n(d.peers.in) + ' inbound');
  put('disk', d.diskFreeBytes == null ? '–' : size(d.diskFreeBytes));
  const y = d.sync, blocks = y.phase === 'blocks';
  put('sync', y.phase === 'done' ? 'synced' : (100 * (blocks ? y.blocksProgress : y.headersProgress)).toFixed(2) + ' % of ' + (blocks ? 'blocks' : 'headers'));
  put('rate', y.phase === 'done' ? '–' : n(Math.round(blocks ? y.blocksPerSecond : y.headersPerSecond)) + '/s, ' + (y.secondsLeft == null ? 'time unknown' : span(y.secondsLeft) + ' left'));
  const k = d.compact, all = k ? k.complete + k.asked + k.failed : 0;
  put('hits', all ? n(k.complete) + ' of ' + n(all) : '–');
  const t = d.template;
  put('reward', t ? btc(t.reward) : 'none yet'); put('fees', t ? btc(t.fees) : '–'); put('ttx', t ? n(t.transactions) : '–');
  put('tweight', t ? n(t.weight) + ' WU' : '–'); put('tage', t ? span(t.age) : '–'); put('theight', t ? n(t.height) : '–');
  $('tfill').style.width = t ? Math.min(100, t.weight / 4e4) + '%' : '0';
  const bars = t ? t.bars : [], top = Math.max(1, ...bars.map(b => b.weight));
  $('bars').replaceChildren(...bars.map(b => {
    const e = element('div', '', { title: 'from ' + b.from + ' sat/vB: ' + n(b.weight) + ' WU' });
    e.style.height = Math.round(100 * b.weight / top) + '%';
    return e;
  }));
  $('axis').replaceChildren(...bars.map(b => element('span', b.from)));
  put('waiters', n(d.waiters)); put('connections', n(d.connections)); put('queue', n(d.queued)); put('refused', n(d.refused));
  const counts = Object.entries(d.submissions.counts);
  put('submitted', counts.length ? counts.map(([outcome, count]) => outcome + ' ' + n(count)).join(', ') : 'none yet');
  rows('submissions', d.submissions.newest.map(s => [span(d.now - s.time) + ' ago', s.hash.slice(0, 24) + '…', s.client, s.outcome]));
  const v = d.sv2;
  $('sv2').hidden = !v;
  if (v) {
    put('sv2clients', n(v.clients)); put('sv2open', n(v.connections)); put('sv2tips', n(v.activated) + ' of ' + n(v.prevHashes));
    put('sv2first', v.firstByteMs == null ? '–' : v.firstByteMs.toFixed(1) + ' ms');
    put('sv2blocks', n(v.accepted) + ' / ' + n(v.lost) + ' / ' + n(v.invalid));
  }
  const w = d.stratum;
  $('stratum').hidden = !w;
  if (w) {
    put('miners', n(w.miners)); put('workers', n(w.workers)); put('bestshare', short(w.bestShare));
    put('lastshare', w.lastShare ? span(d.now - w.lastShare) + ' ago' : '–');
    put('shares', n(w.accepted) + ' / ' + n(w.refused)); put('found', n(w.blocks) + ' / ' + n(w.lost));
  }
  put('pool', n(d.mempool.size)); put('poolbytes', n(Math.round(d.mempool.bytes / 1000)) + ' kvB');
  put('poolmem', size(d.mempool.usage)); put('minfee', n(d.mempool.minFeeRate / 1000) + ' sat/vB');
  const ms = x => x == null ? '–' : x.toFixed(1);
  rows('blocks', d.blocks.map(b => [n(b.height), span(d.now - b.time), n(b.transactions), n(b.weight), btc(b.fees),
    ...['gather', 'scripts', 'apply', 'total', 'persist'].map(p => ms(b.phases[p]))]));
  rows('threads', d.threads.map(x => [x.name, x.what, x.load, x.lagMs == null ? '–' : ms(x.lagMs) + ' ms']));
}
const address = $('address');
async function showWorkers() {
  if ($('stratum').hidden) return;
  const reply = await fetch('/workers?address=' + encodeURIComponent(address.value.trim())).catch(() => null);
  if (!reply || !reply.ok) return;
  const page = await reply.json();
  if (!page) return;
  const now = Date.now() / 1000, ago = ms => ms ? span(now - ms / 1000) + ' ago' : '–';
  const cells = (name, f) => [name.slice(0, 40), (f.agent || '').slice(0, 24), n(f.sessions), ...f.hashrates.slice(1, 4).map(h => short(h) + 'H/s'),
    short(f.bestOfSession) + ' / ' + short(f.bestEver), n(f.shares[0]) + ' / ' + n(f.shares.slice(1).reduce((a, b) => a + b, 0)),
    ago(f.lastShareMs), f.blocks ? n(f.blocks) + ' found' : '–'];
  rows('workertable', [...page.workers.map(f => cells(address.value.trim() ? f.worker : f.address.slice(0, 12) + '… ' + f.worker, f)),
    cells('all ' + n(page.total), page.totals)]);
}
address.value = location.hash.slice(1);
address.onchange = () => { location.hash = address.value.trim(); showWorkers() };
setInterval(showWorkers, 5000);
const live = $('live'), source = new EventSource('/events');
source.onmessage = e => { show(JSON.parse(e.data)); live.textContent = 'live'; live.className = 'ok' };
source.onerror = () => { live.textContent = 'no connection'; live.className = 'bad' };
`;

/** A list of terms, each with the element that the script fills. */
const terms = (...list: readonly (readonly [term: string, id: string])[]): string =>
  `<dl>${list.map(([term, id]) => `<dt>${term}</dt><dd><span id="${id}">–</span></dd>`).join('')}</dl>`;

/** A table whose body the script fills. A heading that begins with `-` is left out on narrow screens. */
const table = (id: string, headings: readonly string[], kind = ''): string => {
  const cells = headings.map((text) => (text.startsWith('-') ? `<th class="less">${text.slice(1)}</th>` : `<th>${text}</th>`));
  return `<div class="scroll"><table class="${kind}"><thead><tr>${cells.join('')}</tr></thead><tbody id="${id}"></tbody></table></div>`;
};

const body = `
<header><h1>adit</h1><span id="chain"></span><span id="version"></span><span id="live">connecting</span></header>
<main>
<section id="state" class="full"><ul id="problems"></ul></section>
<section><h2>Tip</h2><div class="big" id="height">–</div><div class="mono dim" id="hash"></div>
${terms(['Found', 'tipage'], ['Difficulty', 'difficulty'], ['Best header', 'headers'], ['Sync', 'sync'], ['Speed', 'rate'], ['Peers', 'peers'], ['Compact blocks complete on arrival', 'hits'], ['Free disk space', 'disk'])}</section>
<section><h2>Template</h2><div class="big" id="reward">–</div><div class="dim">bitcoin reward (subsidy and fees)</div><div class="fill"><i id="tfill"></i></div>
${terms(['Fees', 'fees'], ['For height', 'theight'], ['Transactions', 'ttx'], ['Weight', 'tweight'], ['Age', 'tage'])}</section>
<section><h2>Miners and clients</h2><div class="big" id="waiters">–</div><div class="dim">long polls waiting for the next template</div>
${terms(['Connections', 'connections'], ['Calls in progress', 'queue'], ['Calls refused', 'refused'])}</section>
<section class="wide"><h2>Template weight by fee rate (sat/vB and up)</h2><div class="bars" id="bars"></div><div class="axis" id="axis"></div></section>
<section><h2>Mempool</h2><div class="big" id="pool">–</div><div class="dim">transactions</div>
${terms(['Size', 'poolbytes'], ['Memory', 'poolmem'], ['Minimum fee rate', 'minfee'])}</section>
<section id="sv2" hidden><h2>Stratum V2</h2><div class="big" id="sv2clients">–</div><div class="dim">clients</div>
${terms(['Connections', 'sv2open'], ['New tips sent from a staged template', 'sv2tips'], ['Block to first byte, mean', 'sv2first'], ['Blocks accepted / lost / invalid', 'sv2blocks'])}</section>
<section id="stratum" class="full" hidden><h2>Stratum V1 miners</h2><div class="big" id="miners">–</div><div class="dim">connected miners</div>
${terms(['Workers with shares', 'workers'], ['Best share since the start', 'bestshare'], ['Last share', 'lastshare'], ['Shares accepted / refused', 'shares'], ['Blocks accepted / lost', 'found'])}
<p><input id="address" class="mono" placeholder="Your address, to see only your workers" aria-label="Address" autocomplete="off"></p>
${table('workertable', ['Worker', '-Firmware', '-Connections', '5 min', '1 h', '1 day', 'Best: session / ever', 'Shares / refused', 'Last share', 'Blocks'])}</section>
<section class="full"><h2>Submitted blocks</h2><div id="submitted">–</div>${table('submissions', ['Time', 'Block', '-Client', 'Outcome'], 'words')}</section>
<section class="full"><h2>Recent blocks (times in ms; writing to disk happens after the total)</h2>
${table('blocks', ['Height', 'Age', 'Txs', '-Weight', 'Fees', '-Load coins', 'Scripts', 'Apply', 'Total', '-Write to disk'])}</section>
<section class="full"><h2>Threads</h2>${table('threads', ['Thread', '-Task', 'Load', 'Event-loop delay'], 'words')}</section>
</main>`;

/** Builds the page with the given status, so that it does not wait for the first event. */
export function pageHtml(status: Status): string {
  // Inside a script element only `<` could end what is data.
  const first = JSON.stringify(status).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>adit</title>
<link rel="icon" href="data:,"><style>${style}</style></head><body>${body}<script>${script}show(${first});showWorkers();</script></body></html>
`;
}
