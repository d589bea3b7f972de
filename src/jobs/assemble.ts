// Work of the assembler: apply the delta, select, check, encode. Called by the inline assembler and on the assembler's thread.
import { coinbaseBranch, merkleRoot } from '../consensus/block/merkle.js';
import { parseTx } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { feeForSize } from '../policy/fee-rate.js';
import { type Selection, selectBestBlock, selectByAncestors, selectByChunks } from '../selection/index.js';
import {
  ASSEMBLE_VERSION,
  type AssembleReply,
  type AssembleRequest,
  type AssembleStatus,
  type ImproveResult,
  RECORD_HEADER,
  TXID_AT,
  WTXID_AT,
} from './assemble-messages.js';
import { AssembleMirror } from './assemble-mirror.js';
import { checkAssembly } from './check-assembly.js';
import { type TemplateTx, TransactionsEncoder } from './encode-transactions.js';
import { LastEncoding } from './last-encoding.js';

const WITNESS_SCALE = 4;
const NO_SLOTS = new Int32Array(0);
const NO_PARENTS: number[] = [];

export interface AssembleDeps {
  readonly hashes: Hashes;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** Functions of the assembler's thread. */
export interface AssembleRunner {
  assemble(request: AssembleRequest): AssembleReply;
  /** Improves orders for that many milliseconds. */
  improve(ms: number): ImproveResult;
  /** Drops all state between requests. */
  reset(): void;
}

/** Answers requests in order. The state between them is the mirror and the last encoding. */
export function createAssembleRunner(deps: AssembleDeps): AssembleRunner {
  let mirror = new AssembleMirror();
  let last = new LastEncoding(deps.hashes);
  return {
    assemble: (request) => assemble(mirror, last, request, deps),
    improve: (ms) => {
      const end = deps.now() + ms;
      return mirror.improve(() => deps.now() >= end);
    },
    reset: () => {
      mirror = new AssembleMirror();
      last = new LastEncoding(deps.hashes);
    },
  };
}

function assemble(mirror: AssembleMirror, last: LastEncoding, request: AssembleRequest, { hashes, now }: AssembleDeps): AssembleReply {
  const started = now();
  if (request.version !== ASSEMBLE_VERSION) return failure(mirror, 'invalid', `message version ${request.version}`);
  if (!mirror.apply(request.delta)) return failure(mirror, 'resync');
  const c = mirror.candidates;
  const excluded = marked(request.excluded, c.fee.length);
  const chosen = select(mirror, last, request, excluded);
  const problem = checkAssembly(c, chosen, { ...request, excluded });
  if (problem !== '') return failure(mirror, 'invalid', problem);
  const selected = now();
  const { slots } = chosen;
  const prefix = last.commonPrefix(mirror, slots, request.segwitActive);
  let encodedLength = 0;
  let roots: { readonly witnessRoot: Uint8Array; readonly merkleBranch: readonly Uint8Array[] };
  if (request.output === null) {
    roots = rootsOf(mirror, last, slots, prefix, request.branch, hashes);
  } else {
    const out = new Uint8Array(request.output);
    const encoder = new TransactionsEncoder(out);
    const ends = encode(mirror, last, prefix, slots, encoder, request.segwitActive, hashes);
    encodedLength = encoder.finish();
    if (encoder.overflowed) return failure(mirror, 'overflow');
    const unchanged = prefix === 0 ? 0 : ends[prefix - 1];
    const encoded = { bytes: out.subarray(0, encodedLength), ends, unchanged, prefix };
    if (request.apart) roots = rootsOf(mirror, last, slots, prefix, request.branch, hashes);
    else roots = last.remember(mirror, slots, request.segwitActive, encoded, request.branch);
  }
  return {
    version: ASSEMBLE_VERSION,
    status: 'done',
    problem: '',
    sequence: mirror.sequence,
    slots,
    fees: chosen.fees,
    weight: chosen.weight,
    sigops: chosen.sigops,
    cut: chosen.cut,
    encodedLength,
    ...roots,
    selectMs: selected - started,
    encodeMs: now() - selected,
  };
}

/** Returns an array with 1 at the index of each given slot; null for an empty list. */
function marked(slots: Int32Array, capacity: number): Uint8Array | null {
  if (slots.length === 0) return null;
  const marks = new Uint8Array(capacity);
  for (const slot of slots) marks[slot] = 1;
  return marks;
}

function select(mirror: AssembleMirror, last: LastEncoding, request: AssembleRequest, excluded: Uint8Array | null): Selection {
  const limits = {
    maxWeight: request.maxWeight,
    reservedWeight: request.reservedWeight,
    minFee: (size: number) => feeForSize(request.minFeeRate, size),
    minFeeRate: request.minFeeRate,
    height: request.height,
    lockTimeCutoff: request.lockTimeCutoff,
    allowWitness: request.segwitActive,
    maxSigops: request.maxSigops,
    excluded,
  };
  if (request.mode === 'core') return selectByAncestors(mirror.candidates, mirror.ranking, limits, mirror.scratch);
  if (request.mode === 'chunks') return selectByChunks(mirror.candidates, mirror.clusters(), limits, mirror.scratch);
  const best = selectBestBlock(mirror.candidates, mirror.ranking, mirror.clusters(), limits, mirror.scratch);
  return { ...best, slots: last.steady(mirror, best.slots) ?? best.slots };
}

/** @param prefix number of leading transactions that are copied from the last encoding @returns the end of each transaction */
function encode(
  mirror: AssembleMirror,
  last: LastEncoding,
  prefix: number,
  slots: Int32Array,
  encoder: TransactionsEncoder,
  segwitActive: boolean,
  hashes: Hashes,
): Int32Array {
  const c = mirror.candidates;
  /** Position by slot, from 1. Computed when a transaction with parents is encoded; a template that only grew rarely needs it. */
  let position: Int32Array | null = null;
  const ends = new Int32Array(slots.length);
  if (prefix > 0) {
    encoder.resume(last.prefixBytes(prefix), prefix);
    ends.set(last.prefixEnds(prefix));
  }
  for (let i = prefix; i < slots.length; i++) {
    const slot = slots[i];
    const idsAt = c.offset[slot];
    const tx: TemplateTx = {
      record: mirror.segmentOf(slot),
      idsAt,
      dataAt: idsAt + RECORD_HEADER,
      dataLength: c.length[slot] - RECORD_HEADER,
      fee: c.fee[slot],
      sigops: segwitActive ? c.sigops[slot] : Math.trunc(c.sigops[slot] / WITNESS_SCALE),
      weight: c.weight[slot],
    };
    if (c.parents[slot].length === 0) encoder.add(tx, NO_PARENTS);
    else encoder.add(tx, depends(mirror, slot, tx, (position ??= positions(slots, c.capacity)), hashes));
    ends[i] = encoder.length;
  }
  return ends;
}

/** Returns the position of each slot in the template, from 1. */
function positions(slots: Int32Array, capacity: number): Int32Array {
  const position = new Int32Array(capacity);
  for (let i = 0; i < slots.length; i++) position[slots[i]] = i + 1;
  return position;
}

/** Returns one position for each input that spends a transaction of the template, in input order. */
function depends(
  mirror: AssembleMirror,
  slot: number,
  { record, dataAt, dataLength }: TemplateTx,
  position: Int32Array,
  hashes: Hashes,
): number[] {
  const { parents, txids } = mirror.candidates;
  const tx = parseTx(record.subarray(dataAt, dataAt + dataLength), hashes);
  const found: number[] = [];
  for (let i = 0; i < tx.inputCount; i++) {
    const prevHash = tx.prevHash(i);
    for (const parent of parents[slot]) {
      if (sameId(prevHash, txids, parent * 32)) {
        found.push(position[parent]);
        break;
      }
    }
  }
  return found;
}

function sameId(hash: Uint8Array, txids: Uint8Array, at: number): boolean {
  for (let i = 0; i < 32; i++) if (hash[i] !== txids[at + i]) return false;
  return true;
}

/** Returns witness root and merkle branch without storing them: those of the last encoding if its transactions are the same. */
function rootsOf(
  mirror: AssembleMirror,
  last: LastEncoding,
  slots: Int32Array,
  prefix: number,
  branch: boolean,
  hashes: Hashes,
): Pick<AssembleReply, 'witnessRoot' | 'merkleBranch'> {
  return {
    witnessRoot: last.witnessRoot(slots, prefix) ?? merkleRoot(leaves(mirror, slots, WTXID_AT), hashes).root,
    merkleBranch: branch ? (last.merkleBranch(slots, prefix) ?? coinbaseBranch(leaves(mirror, slots, TXID_AT), hashes)) : [],
  };
}

/** Returns the leaves of a tree over txids or wtxids. The coinbase's leaf is zero (BIP-0141). @param at offset of the id in a record */
function leaves(mirror: AssembleMirror, slots: Int32Array, at: number): Uint8Array[] {
  const { offset } = mirror.candidates;
  const ids: Uint8Array[] = [new Uint8Array(32)];
  for (const slot of slots) {
    const from = offset[slot] + at;
    ids.push(mirror.segmentOf(slot).subarray(from, from + 32));
  }
  return ids;
}

function failure(mirror: AssembleMirror, status: AssembleStatus, problem = ''): AssembleReply {
  return {
    version: ASSEMBLE_VERSION,
    status,
    problem,
    sequence: mirror.sequence,
    slots: NO_SLOTS,
    fees: 0,
    weight: 0,
    sigops: 0,
    cut: null,
    encodedLength: 0,
    witnessRoot: new Uint8Array(32),
    merkleBranch: [],
    selectMs: 0,
    encodeMs: 0,
  };
}
