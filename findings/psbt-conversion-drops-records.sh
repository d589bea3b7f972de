#!/usr/bin/env bash
# @ledgerhq/psbtv2 0.6.0 and @caravan/psbt 2.1.0 convert a PSBT of version 0 into one of version 2 (BIP-0370). The versions
# differ in how they describe the transaction; all records of inputs and outputs about scripts, keys and signatures are the
# same. One expects that a conversion keeps these records, or refuses. In fact both return a valid PSBT of version 2
# without an error, and drop what they do not know. @ledgerhq/psbtv2 drops the witness script of an input, so that nobody
# can finalise a P2WSH input from the result. Both drop the signature, internal key and key path of a taproot input, so
# that a signed payment becomes an unsigned one. @scure/btc-signer 2.4.1 keeps them.
#
# Output seen (types of the records that are in version 0 and not in version 2):
#   @ledgerhq/psbtv2: P2WSH input lost 05, taproot input lost 13 16 17, taproot output lost 05
#   @caravan/psbt: P2WSH input lost nothing, taproot input lost 13 16 17, taproot output lost 05
#   @scure/btc-signer: P2WSH input lost nothing, taproot input lost nothing, taproot output lost nothing
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts @ledgerhq/psbtv2@0.6.0 @caravan/psbt@2.1.0 @scure/btc-signer@2.4.1 >/dev/null
cat > run.mjs <<'JS'
import { createRequire } from 'node:module';
import { PsbtV2 as Caravan } from '@caravan/psbt';
import { p2ms, p2tr, p2wsh, Transaction } from '@scure/btc-signer';
import { pubECDSA, pubSchnorr } from '@scure/btc-signer/utils.js';
const { PsbtV2: Ledger } = createRequire(import.meta.url)('@ledgerhq/psbtv2');

const secret = new Uint8Array(32).fill(1);
const [wsh, tr] = [p2wsh(p2ms(1, [pubECDSA(secret)])), p2tr(pubSchnorr(secret))];
const path = [{ der: { fingerprint: 1, path: [86, 0] }, hashes: [] }];
const tx = new Transaction();
for (const [index, { script, type, ...known }] of [wsh, tr].entries()) {
  const { address, tapLeafScript, leaves, tapMerkleRoot, tweakedPubkey, witness, hash, ...fields } = known;
  const tap = index === 1 ? { tapBip32Derivation: [[pubSchnorr(secret), path[0]]] } : {};
  tx.addInput({ txid: '11'.repeat(32), index, ...fields, ...tap, witnessUtxo: { script, amount: 100000n } });
}
tx.addOutput({ script: wsh.script, amount: 90000n });
tx.addOutput({ script: tr.script, amount: 90000n, tapInternalKey: pubSchnorr(secret) });
tx.sign(secret);
const first = Buffer.from(tx.toPSBT(0));

/** Returns the types of the records of each map. */
function typesOf(bytes) {
  const maps = [[]];
  let at = 5;
  const size = () => {
    const first = bytes[at++];
    if (first < 253) return first;
    at += 2;
    return bytes.readUInt16LE(at - 2);
  };
  while (at < bytes.length) {
    const length = size();
    if (length === 0) maps.push([]);
    else {
      maps.at(-1).push(bytes.toString('hex', at, at + 1));
      at += length;
      const value = size();
      at += value;
    }
  }
  return maps;
}
const [, ...before] = typesOf(first);
for (const [name, second] of [
  ['@ledgerhq/psbtv2', Ledger.fromV0(first).serialize()],
  ['@caravan/psbt', Buffer.from(Caravan.FromV0(first.toString('base64')).serialize('hex'), 'hex')],
  ['@scure/btc-signer', Buffer.from(Transaction.fromPSBT(first).toPSBT(2))],
]) {
  const [, ...after] = typesOf(second);
  const lost = (map) => [...new Set(before[map].filter((type) => !after[map].includes(type)))].sort().join(' ') || 'nothing';
  console.log(`${name}: P2WSH input lost ${lost(0)}, taproot input lost ${lost(1)}, taproot output lost ${lost(3)}`);
}
JS
node run.mjs | tee seen
diff seen - <<'TXT'
@ledgerhq/psbtv2: P2WSH input lost 05, taproot input lost 13 16 17, taproot output lost 05
@caravan/psbt: P2WSH input lost nothing, taproot input lost 13 16 17, taproot output lost 05
@scure/btc-signer: P2WSH input lost nothing, taproot input lost nothing, taproot output lost nothing
TXT
