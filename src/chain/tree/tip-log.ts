// Log line for a new tip: Core's UpdateTip line, which operators and their tools know.

import type { ChainWorkspace } from '../connect/workspace.js';
import type { HeaderNode } from './header-node.js';
import { verificationProgress } from './verification-progress.js';

const MEBIBYTE = 1 << 20;

/** Returns the log line for the current tip. */
export function tipLine(ws: ChainWorkspace, tip: HeaderNode): string {
  const coins = ws.coins.stats();
  const version = (tip.version >>> 0).toString(16).padStart(8, '0');
  const date = new Date(tip.time * 1000).toISOString().replace('.000Z', 'Z');
  const progress = verificationProgress(tip, ws.index.bestHeader.height, ws.params, ws.clock.nowSeconds()).toFixed(6);
  const work = Math.log2(Number(tip.chainWork)).toFixed(6);
  const cache = `${(coins.usedBytes / MEBIBYTE).toFixed(1)}MiB(${coins.entries}txo)`;
  return `UpdateTip: new best=${tip.hashHex} height=${tip.height} version=0x${version} log2_work=${work} tx=${tip.chainTxCount} date='${date}' progress=${progress} cache=${cache}`;
}
