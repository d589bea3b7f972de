// Runs Core's transaction vectors: what must verify, with which flags left out, and what must not; and real
// transactions.

import { checkTransaction } from '../../src/consensus/rules/check-transaction.js';
import {
  parseScriptFlags,
  SCRIPT_FLAG_NAMES,
  SCRIPT_VERIFY_ALL,
  SCRIPT_VERIFY_CLEANSTACK,
  SCRIPT_VERIFY_P2SH,
  SCRIPT_VERIFY_TAPROOT,
  SCRIPT_VERIFY_WITNESS,
} from '../../src/consensus/script/flags.js';
import { SighashCache } from '../../src/consensus/script/sighash.js';
import type { SpentOutput } from '../../src/consensus/script/spent-output.js';
import { parseTx, type TxView } from '../../src/consensus/tx/tx-view.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { verifyBothWays } from '../framework/engine-verify.js';
import { hex, unhex } from '../framework/hex.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { rowSuite } from '../framework/vector-suite.js';

const crypto = createNativeCrypto();

interface TxRow {
  comment?: string;
  prevouts: { txid: string; vout: number; scriptPubKeyHex: string; amount?: number }[];
  tx: string;
  excludedFlags?: string;
  flags?: string;
}

/** A parsed row with its spent outputs in input order; null where a row names no output for an input. */
function readRow(row: TxRow): { tx: TxView; spent: SpentOutput[] } | null {
  const tx = parseTx(unhex(row.tx), crypto, { exact: true });
  const outputs = new Map<string, SpentOutput>();
  for (const { txid, vout, scriptPubKeyHex, amount } of row.prevouts) {
    outputs.set(`${txid}:${vout >>> 0}`, { value: amount ?? 0, script: unhex(scriptPubKeyHex) });
  }
  const spent: SpentOutput[] = [];
  for (let i = 0; i < tx.inputCount; i++) {
    const output = outputs.get(`${hex(tx.prevHash(i).slice().reverse())}:${tx.prevIndex(i)}`);
    if (output === undefined) return null;
    spent.push(output);
  }
  return { tx, spent };
}

function verifies(tx: TxView, spent: SpentOutput[], flags: number): boolean {
  const cache = new SighashCache(tx, crypto, spent);
  for (let i = 0; i < tx.inputCount; i++) if (verifyBothWays(tx, i, spent, flags, crypto, cache) !== 0) return false;
  return true;
}

/** Leaves out flags that need a missing one. */
function trim(flags: number): number {
  let out = flags;
  if ((out & SCRIPT_VERIFY_P2SH) === 0) out &= ~SCRIPT_VERIFY_WITNESS;
  if ((out & SCRIPT_VERIFY_WITNESS) === 0) out &= ~(SCRIPT_VERIFY_CLEANSTACK | SCRIPT_VERIFY_TAPROOT);
  return out;
}

/** Adds the flags that others need. */
function fill(flags: number): number {
  let out = flags;
  if ((out & (SCRIPT_VERIFY_CLEANSTACK | SCRIPT_VERIFY_TAPROOT)) !== 0) out |= SCRIPT_VERIFY_WITNESS;
  if ((out & SCRIPT_VERIFY_WITNESS) !== 0) out |= SCRIPT_VERIFY_P2SH;
  return out;
}

rowSuite<TxRow>('transaction/tx_valid.json', 'verify with all flags but the excluded, and with fewer', (row, index) => {
  const parsed = readRow(row);
  if (parsed === null) return 'an input without its output';
  const { tx, spent } = parsed;
  const excluded = parseScriptFlags(row.excludedFlags ?? '');
  if (excluded === null) return `unknown flag in ${row.excludedFlags}`;
  const verdict = checkTransaction(tx);
  if (verdict !== null) return verdict.reason;
  const flags = trim(SCRIPT_VERIFY_ALL & ~excluded);
  if (!verifies(tx, spent, flags)) return 'does not verify';
  const random = pseudoRandom(index);
  for (const [name, flag] of SCRIPT_FLAG_NAMES) {
    if (!verifies(tx, spent, trim(flags & ~flag))) return `fails without ${name}`;
    if (!verifies(tx, spent, trim(flags & (random() * 2 ** 21)))) return 'fails with fewer flags';
    // The exclusions are needed: any of them added back makes the transaction invalid.
    if ((excluded & flag) !== 0 && verifies(tx, spent, fill(flags | flag))) return `verifies with ${name} too`;
  }
  return null;
});

rowSuite<TxRow>('transaction/tx_invalid.json', 'fail with the flags, and with more', (row, index) => {
  const parsed = readRow(row);
  if (parsed === null) return 'an input without its output';
  const { tx, spent } = parsed;
  const verdict = checkTransaction(tx);
  if (row.flags === 'BADTX') return verdict !== null ? null : 'passes the check of the transaction itself';
  if (verdict !== null) return verdict.reason;
  const flags = parseScriptFlags(row.flags ?? '');
  if (flags === null) return `unknown flag in ${row.flags}`;
  if (verifies(tx, spent, flags)) return 'verifies';
  const random = pseudoRandom(index);
  for (const [name, flag] of SCRIPT_FLAG_NAMES) {
    if (verifies(tx, spent, fill(flags | flag))) return `verifies with ${name}`;
    if (verifies(tx, spent, fill(flags | (random() * 2 ** 21)))) return 'verifies with more flags';
    // The flags are needed: without any of them the transaction is valid.
    if ((flags & flag) !== 0 && !verifies(tx, spent, trim(flags & ~flag))) return `fails without ${name} too`;
  }
  return null;
});

rowSuite<{ tx: string; txid: string; spent?: [number, string][]; flags?: string[] }>(
  'transaction/real_tx.json',
  'ids, exact bytes, scripts',
  (row) => {
    const tx = parseTx(unhex(row.tx), crypto, { exact: true });
    if (hex(tx.txid.slice().reverse()) !== row.txid) return 'wrong txid';
    if (hex(tx.bytes) !== row.tx) return 'other bytes';
    if (row.spent === undefined) return null;
    const flags = parseScriptFlags((row.flags ?? []).join(','));
    if (flags === null) return 'unknown flag';
    const spent = row.spent.map(([value, script]) => ({ value, script: unhex(script) }));
    return verifies(tx, spent, flags) ? null : 'does not verify';
  },
);
