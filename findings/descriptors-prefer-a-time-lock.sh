#!/usr/bin/env bash
# @bitcoinerlab/descriptors 3.2.0 with bitcoinjs-lib 7.0.5: the policy "two of: key A, key B, nine blocks", with both keys
# given as signers. Two signatures fulfil it at once. One expects that an input that both sign can be spent now. In fact the
# library plans the smallest witness, which is one signature and the time lock: it sets the input's sequence to 9, and
# leaves the second signature out when it finalises. The network refuses the payment until the coin is nine blocks old. The
# sequence is in what is signed, so both have to sign again. Without the time lock in the policy the sequence is free.
#
# Output seen:
#   wsh(thresh(2,pk(A),s:pk(B),sln:older(9))): sequence 9, 1 of 2 signatures used
#   wsh(and_v(v:pk(A),pk(B))): sequence 4294967293, 2 of 2 signatures used
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts @bitcoinerlab/descriptors@3.2.0 bitcoinjs-lib@7.0.5 ecpair@3.0.2 tiny-secp256k1@2.2.4 >/dev/null
cat > run.mjs <<'JS'
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const { Psbt, Transaction } = require('bitcoinjs-lib');
const ecc = require('tiny-secp256k1');
const { DescriptorsFactory, signers } = require('@bitcoinerlab/descriptors');
const { ECPairFactory } = require('ecpair');
const { Output } = DescriptorsFactory(ecc);
const keys = [1, 2].map((byte) => ECPairFactory(ecc).fromPrivateKey(Buffer.alloc(32, byte)));
const names = keys.map(({ publicKey }) => Buffer.from(publicKey).toString('hex'));
for (const form of ['wsh(thresh(2,pk(A),s:pk(B),sln:older(9)))', 'wsh(and_v(v:pk(A),pk(B)))']) {
  const descriptor = form.replace('A', names[0]).replace('B', names[1]);
  const output = new Output({ descriptor, signersPubKeys: keys.map(({ publicKey }) => publicKey) });
  const funding = new Transaction();
  funding.addInput(Buffer.alloc(32, 7), 0);
  funding.addOutput(output.getScriptPubKey(), 100000n);
  const psbt = new Psbt();
  const finalize = output.updatePsbtAsInput({ psbt, txHex: funding.toHex(), vout: 0 });
  psbt.addOutput({ script: output.getScriptPubKey(), value: 99000n });
  for (const ecpair of keys) signers.signInputECPair({ psbt, index: 0, ecpair });
  const signed = psbt.data.inputs[0].partialSig.length;
  finalize({ psbt });
  const [input] = psbt.extractTransaction().ins;
  const used = input.witness.filter((item) => item[0] === 0x30).length;
  console.log(`${form}: sequence ${input.sequence}, ${used} of ${signed} signatures used`);
}
JS
node run.mjs | tee seen
diff seen - <<'TXT'
wsh(thresh(2,pk(A),s:pk(B),sln:older(9))): sequence 9, 1 of 2 signatures used
wsh(and_v(v:pk(A),pk(B))): sequence 4294967293, 2 of 2 signatures used
TXT
