// The page at `/` of the metrics port: one file without anything from elsewhere, so that it works on a box without a
// way out. What it shows is in it at first and then comes as server-sent events from /events (node/status.ts).

const style = `
:root{color-scheme:light dark;--bg:#f6f5f1;--card:#fff;--ink:#1d2326;--dim:#6b757b;--line:#e2e0d8;--hot:#c8641b;--ok:#2d7d5a;--bad:#b3372f;--bar:#d98d4a}
@media(prefers-color-scheme:dark){:root{--bg:#15191b;--card:#1e2427;--ink:#e7e9e8;--dim:#8e999f;--line:#2f373b;--hot:#f0a05a;--ok:#6cc69b;--bad:#ef8178;--bar:#b4703a}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,sans-serif}
header,main{max-width:1240px;margin:0 auto}header{display:flex;gap:.8em;align-items:baseline;padding:14px 18px;flex-wrap:wrap}h1{font-size:19px;margin:0}header span{color:var(--dim)}
#live{margin-left:auto;font-size:13px}#live.ok{color:var(--ok)}#live.bad{color:var(--bad)}
main{display:grid;gap:12px;padding:0 18px 24px;grid-template-columns:repeat(12,1fr)}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;grid-column:span 4;min-width:0}
section.wide{grid-column:span 8}section.full{grid-column:span 12}h2{font-size:12px;letter-spacing:.06em;text-transform:uppercase;color:var(--dim);margin:0 0 8px;font-weight:600}
.big{font-size:30px;font-weight:650;font-variant-numeric:tabular-nums;line-height:1.15}.dim{color:var(--dim)}.mono{font-family:ui-monospace,monospace;font-size:12.5px;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 14px;margin:8px 0 0}dt{color:var(--dim)}dd{margin:0;text-align:right;font-variant-numeric:tabular-nums}
.fill{height:8px;border-radius:4px;background:var(--line);overflow:hidden;margin-top:10px}.fill i{display:block;height:100%;background:var(--hot)}
.bars{display:flex;align-items:flex-end;gap:3px;height:120px;margin-top:6px}.bars div{flex:1;background:var(--bar);border-radius:3px 3px 0 0;min-height:1px}
.axis{display:flex;gap:3px;color:var(--dim);font-size:11px}.axis span{flex:1;text-align:center}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:14px}th{color:var(--dim);font-weight:500;text-align:right;font-size:12px}td{text-align:right;border-top:1px solid var(--line);padding:5px 0 5px 12px;white-space:nowrap}th{padding:0 0 4px 12px}th:first-child,td:first-child{text-align:left;padding-left:0}.words th:nth-child(2),.words td:nth-child(2){text-align:left}
@media(max-width:820px){main{grid-template-columns:1fr;padding:0 12px 20px}section,section.wide,section.full{grid-column:auto}.axis span:nth-child(even){visibility:hidden}table{font-size:13px}td{padding-left:7px}th{padding-left:7px}.less{display:none}}
`;

const script = `
const $=id=>document.getElementById(id),n=x=>x==null?'–':Number(x).toLocaleString('en'),btc=s=>s==null?'–':(s/1e8).toFixed(8);
const ago=s=>{s=Math.max(0,Math.round(s));return s<90?s+' s':s<5400?Math.round(s/60)+' min':s<172800?Math.round(s/3600)+' h':Math.round(s/86400)+' d'};
const put=(id,t)=>{const e=$(id);if(e.textContent!==t)e.textContent=t};
const rows=(id,list)=>{const less=[...$(id).parentNode.querySelectorAll('th')].map(th=>th.className);$(id).replaceChildren(...list.map(r=>{const tr=document.createElement('tr');r.forEach((c,i)=>{const td=document.createElement('td');td.textContent=c;if(less[i])td.className=less[i];tr.append(td)});return tr}))};
function show(d){
 put('chain',d.chain+(d.initialBlockDownload?' · catching up':''));put('version',d.version+' · up '+ago(d.uptime));
 put('height',n(d.tip.height));put('hash',d.tip.hash);put('tipage',ago(d.now-d.tip.time)+' ago');put('difficulty',Number(d.tip.difficulty).toPrecision(4));put('headers',n(d.headers));put('peers',n(d.peers.in+d.peers.out)+' ('+n(d.peers.out)+' out, '+n(d.peers.in)+' in)');
 const y=d.sync;put('sync',y.phase==='done'?'in step':(100*(y.phase==='blocks'?y.blocksProgress:y.headersProgress)).toFixed(2)+' % of '+(y.phase==='blocks'?'blocks':'headers'));put('rate',y.phase==='done'?'–':n(Math.round(y.phase==='blocks'?y.blocksPerSecond:y.headersPerSecond))+' /s, '+(y.secondsLeft==null?'time unknown':ago(y.secondsLeft)+' left'));
 const k=d.compact,all=k?k.complete+k.asked+k.failed:0;put('hits',all?n(k.complete)+' of '+n(all):'–');
 const t=d.template;put('fees',t?btc(t.fees):'none yet');put('ttx',t?n(t.transactions):'–');put('tweight',t?n(t.weight)+' WU':'–');put('tage',t?ago(t.age):'–');put('theight',t?n(t.height):'–');
 $('tfill').style.width=t?Math.min(100,t.weight/4e4)+'%':'0';
 const bars=t?t.bars:[],top=Math.max(1,...bars.map(b=>b.weight));
 $('bars').replaceChildren(...bars.map(b=>{const e=document.createElement('div');e.style.height=Math.round(100*b.weight/top)+'%';e.title='from '+b.from+' sat/vB: '+n(b.weight)+' WU';return e}));
 $('axis').replaceChildren(...bars.map(b=>{const e=document.createElement('span');e.textContent=b.from;return e}));
 put('waiters',n(d.waiters));put('connections',n(d.connections));put('queue',n(d.queued));put('refused',n(d.refused));
 const v=d.sv2;$('sv2').hidden=!v;if(v){put('sv2clients',n(v.clients));put('sv2open',n(v.connections));put('sv2tips',n(v.activated)+' of '+n(v.prevHashes));put('sv2first',v.firstByteMs==null?'–':v.firstByteMs.toFixed(1)+' ms');put('sv2blocks',n(v.accepted)+' / '+n(v.lost)+' / '+n(v.invalid))}
 put('pool',n(d.mempool.size));put('poolbytes',n(Math.round(d.mempool.bytes/1000))+' kvB');put('poolmem',(d.mempool.usage/1e6).toFixed(1)+' MB');put('minfee',n(d.mempool.minFeeRate/1000)+' sat/vB');
 rows('blocks',d.blocks.map(b=>[n(b.height),ago(d.now-b.time),n(b.transactions),n(b.weight),btc(b.fees),...['gather','scripts','apply','persist','total'].map(p=>b.phases[p]==null?'–':b.phases[p].toFixed(1))]));
 rows('threads',d.threads.map(x=>[x.name,x.what,x.load,x.lagMs==null?'–':x.lagMs.toFixed(1)+' ms']));
}
const live=$('live'),source=new EventSource('/events');
source.onmessage=e=>{show(JSON.parse(e.data));live.textContent='live';live.className='ok'};
source.onerror=()=>{live.textContent='no connection';live.className='bad'};
`;

/** The whole page, with the figures of this moment in it: what it shows at first must not wait for the first event. */
export function pageHtml(status: unknown): string {
  // Inside a script element only `<` could end what is data.
  const first = JSON.stringify(status).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>adit</title>
<link rel="icon" href="data:,"><style>${style}</style></head><body>
<header><h1>adit</h1><span id="chain"></span><span id="version"></span><span id="live">connecting</span></header>
<main>
<section><h2>Tip</h2><div class="big" id="height">–</div><div class="mono dim" id="hash"></div><dl><dt>Found</dt><dd id="tipage">–</dd><dt>Difficulty</dt><dd id="difficulty">–</dd><dt>Best header</dt><dd id="headers">–</dd><dt>Sync</dt><dd id="sync">–</dd><dt>Speed</dt><dd id="rate">–</dd><dt>Peers</dt><dd id="peers">–</dd><dt>Compact blocks whole at once</dt><dd id="hits">–</dd></dl></section>
<section><h2>Template</h2><div class="big" id="fees">–</div><div class="dim">bitcoin in fees</div><div class="fill"><i id="tfill"></i></div><dl><dt>For height</dt><dd id="theight">–</dd><dt>Transactions</dt><dd id="ttx">–</dd><dt>Weight</dt><dd id="tweight">–</dd><dt>Age</dt><dd id="tage">–</dd></dl></section>
<section><h2>Miners and clients</h2><div class="big" id="waiters">–</div><div class="dim">waiting for the next template</div><dl><dt>Connections</dt><dd id="connections">–</dd><dt>Calls under way</dt><dd id="queue">–</dd><dt>Calls refused</dt><dd id="refused">–</dd></dl></section>
<section class="wide"><h2>Template weight by fee rate, sat/vB and up</h2><div class="bars" id="bars"></div><div class="axis" id="axis"></div></section>
<section><h2>Mempool</h2><div class="big" id="pool">–</div><div class="dim">transactions</div><dl><dt>Size</dt><dd id="poolbytes">–</dd><dt>Memory</dt><dd id="poolmem">–</dd><dt>Least fee</dt><dd id="minfee">–</dd></dl></section>
<section id="sv2" hidden><h2>Stratum V2</h2><div class="big" id="sv2clients">–</div><div class="dim">clients</div><dl><dt>Connections</dt><dd id="sv2open">–</dd><dt>Tips by a staged template</dt><dd id="sv2tips">–</dd><dt>Block to first byte, mean</dt><dd id="sv2first">–</dd><dt>Blocks accepted / lost / invalid</dt><dd id="sv2blocks">–</dd></dl></section>
<section class="full"><h2>Recent blocks, times in milliseconds</h2><div class="scroll"><table><thead><tr><th>Height</th><th>Age</th><th>Txs</th><th class="less">Weight</th><th>Fees</th><th class="less">gather</th><th>scripts</th><th>apply</th><th class="less">persist</th><th>total</th></tr></thead><tbody id="blocks"></tbody></table></div></section>
<section class="full"><h2>Threads</h2><div class="scroll"><table class="words"><thead><tr><th>Thread</th><th class="less">Does</th><th>Load</th><th>Late by</th></tr></thead><tbody id="threads"></tbody></table></div></section>
</main><script>${script}show(${first});</script></body></html>
`;
}
