// A thread for remote.test.ts that uses the link as a front does. Its first run keeps the slabs it leases, and ends at
// the next tip; the second run gives them back.
import { workerData } from 'node:worker_threads';
import type { FrontInit } from '../../../src/http/front/start-front.js';
import { CallQuota } from '../../../src/link/call-quota.js';
import { FrontCounters } from '../../../src/link/front-counters.js';
import { FrontLink } from '../../../src/link/front-link.js';
import type { FrontNews } from '../../../src/link/messages.js';
import { type SlabInfo, SlabReader } from '../../../src/link/slab-ring.js';

const init = workerData as FrontInit & { readonly remote: { readonly lives: SharedArrayBuffer } };
const life = Atomics.add(new Int32Array(init.remote.lives), 0, 1) + 1;
const slabs = new SlabReader(init.slabControl, init.slabs as readonly SlabInfo[], init.leases);
const room = new CallQuota({ calls: 1, bytes: 1 }, new FrontCounters(init.counters));
const link = new FrontLink(init.link, room, onNews);
const say = (text: string): void => link.postNews({ news: 'notice', level: 'info', text: `life ${life}: ${text}` });

function onNews(news: FrontNews): void {
  switch (news.news) {
    case 'slab':
      slabs.update(news.slab);
      break;
    case 'template':
      if (news.slab === null || slabs.lease(news.slab) === null) return;
      if (life > 1) slabs.release(news.slab);
      say(`template of height ${news.facts.height}`);
      break;
    case 'tip':
      if (life === 1) process.exit(3);
      say(`tip ${news.tip.height}`);
      break;
    case 'drain':
      link.postNews({ news: 'drained' });
      break;
    case 'close':
      link.close();
      break;
    default:
  }
}

link.postNews({ news: 'ready' });
say(`begins at tip ${init.tip.height}`);
