#!/usr/bin/env bash
# @scure/btc-signer 2.4.1 and bitcoinjs-lib 7.0.5, with a PSBT (BIP-0174) that has a record of an unknown type (f0) and
# one of a private use (fc) in an input. The BIP asks each party to pass such records on, because later extensions and
# agreements between other parties depend on it. One expects that a signer returns the PSBT with them. In fact
# Transaction.fromPSBT of @scure/btc-signer drops them by default without an error, and the next signer misses them. It
# keeps them with the option `unknown: 'ignore'`.
#
# Output seen:
#   bitcoinjs-lib: f0 kept, fc kept
#   @scure/btc-signer: f0 dropped, fc dropped
#   @scure/btc-signer, unknown 'ignore': f0 kept, fc kept
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts @scure/btc-signer@2.4.1 bitcoinjs-lib@7.0.5 >/dev/null
cat > run.mjs <<'JS'
import { Transaction } from '@scure/btc-signer';
import { Psbt } from 'bitcoinjs-lib';
const key = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const types = { f0: ['f0aa', '01'], fc: [`fc04${Buffer.from('name').toString('hex')}00`, '02'] };
const psbt = new Psbt();
psbt.addInput({ hash: '11'.repeat(32), index: 0, witnessUtxo: { script: Buffer.from(`5120${key.slice(2)}`, 'hex'), value: 1000n } });
psbt.addOutput({ script: Buffer.from(`5120${key.slice(2)}`, 'hex'), value: 900n });
for (const [k, value] of Object.values(types)) psbt.addUnknownKeyValToInput(0, { key: Buffer.from(k, 'hex'), value: Buffer.from(value, 'hex') });
const bytes = psbt.toBuffer();
const tell = (name, passed) => {
  const hex = Buffer.from(passed).toString('hex');
  console.log(`${name}: ${Object.entries(types).map(([type, [k]]) => `${type} ${hex.includes(k) ? 'kept' : 'dropped'}`).join(', ')}`);
};
tell('bitcoinjs-lib', Psbt.fromBuffer(bytes).toBuffer());
tell('@scure/btc-signer', Transaction.fromPSBT(bytes).toPSBT());
tell("@scure/btc-signer, unknown 'ignore'", Transaction.fromPSBT(bytes, { unknown: 'ignore' }).toPSBT());
JS
node run.mjs | tee seen
diff seen - <<'TXT'
bitcoinjs-lib: f0 kept, fc kept
@scure/btc-signer: f0 dropped, fc dropped
@scure/btc-signer, unknown 'ignore': f0 kept, fc kept
TXT
