// The work of the assembler: apply the delta, choose, check, encode. Called by the inline assembler and by the assembler's thread.
import { merkleRoot } from '../consensus/block/merkle.js';
import { parseTx } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import { feeForSize } from '../policy/fee-rate.js';
import { type Selection, selectByAncestors } from '../selection/ancestor-selection.js';
import { type TemplateTx, TransactionsEncoder } from '../template/encode/transactions.js';
import { ASSEMBLE_VERSION, type AssembleReply, type AssembleRequest, type AssembleStatus, RECORD_HEADER } from './assemble-messages.js';
import { AssembleMirror } from './assemble-mirror.js';
import { checkAssembly } from './check-assembly.js';

const WITNESS_SCALE = 4;
const NO_SLOTS = new Int32Array(0);

export interface AssembleDeps {
  readonly hashes: Hashes;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** Answers requests in order; the state between them is the mirror. */
export function createAssembleRunner(deps: AssembleDeps): (request: AssembleRequest) => AssembleReply {
  const mirror = new AssembleMirror();
  return (request) => assemble(mirror, request, deps);
}

function assemble(mirror: AssembleMirror, request: AssembleRequest, { hashes, now }: AssembleDeps): AssembleReply {
  const started = now();
  if (request.version !== ASSEMBLE_VERSION) return failure(mirror, 'invalid', `message version ${request.version}`);
  if (!mirror.apply(request.delta)) return failure(mirror, 'resync');
  const c = mirror.candidates;
  const chosen = selectByAncestors(c, mirror.ranking, {
    maxWeight: request.maxWeight,
    minFee: (size) => feeForSize(request.minFeeRate, size),
    height: request.height,
    lockTimeCutoff: request.lockTimeCutoff,
    allowWitness: request.segwitActive,
  });
  const problem = checkAssembly(c, chosen, request);
  if (problem !== '') return failure(mirror, 'invalid', problem);
  const selected = now();
  let encodedLength = 0;
  if (request.output !== null) {
    const encoder = new TransactionsEncoder(new Uint8Array(request.output));
    encode(mirror, chosen, encoder, request.segwitActive, hashes);
    encodedLength = encoder.finish();
    if (encoder.overflowed) return failure(mirror, 'overflow');
  }
  return {
    version: ASSEMBLE_VERSION,
    status: 'done',
    problem: '',
    sequence: mirror.sequence,
    slots: chosen.slots,
    fees: chosen.fees,
    weight: chosen.weight,
    sigops: chosen.sigops,
    encodedLength,
    witnessRoot: witnessRoot(mirror, chosen.slots, hashes),
    selectMs: selected - started,
    encodeMs: now() - selected,
  };
}

function encode(mirror: AssembleMirror, chosen: Selection, encoder: TransactionsEncoder, segwitActive: boolean, hashes: Hashes): void {
  const c = mirror.candidates;
  const position = new Int32Array(c.capacity);
  for (let i = 0; i < chosen.slots.length; i++) {
    const slot = chosen.slots[i];
    position[slot] = i + 1;
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
    encoder.add(tx, c.parents[slot].length === 0 ? [] : depends(mirror, slot, tx, position, hashes));
  }
}

/** One position for each input that spends a transaction of the template, in input order. */
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

/** BIP-0141: the coinbase's leaf is zero. */
function witnessRoot(mirror: AssembleMirror, slots: Int32Array, hashes: Hashes): Uint8Array {
  const { offset } = mirror.candidates;
  const leaves: Uint8Array[] = [new Uint8Array(32)];
  for (const slot of slots) {
    const at = offset[slot] + 32;
    leaves.push(mirror.segmentOf(slot).subarray(at, at + 32));
  }
  return merkleRoot(leaves, hashes).root;
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
    encodedLength: 0,
    witnessRoot: new Uint8Array(32),
    selectMs: 0,
    encodeMs: 0,
  };
}
