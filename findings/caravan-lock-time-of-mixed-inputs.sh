#!/usr/bin/env bash
# @caravan/psbt 2.1.0 and @scure/btc-signer 2.4.1, with a PSBT of version 2 (BIP-0370). An input may ask for a lock time by
# height, by time, or by either. The BIP takes the kind that all inputs accept which ask for one, and the height if both
# kinds are possible. Inputs that ask for none do not count. One expects that one input that accepts both, beside one that
# asks for none, gives its height. In fact @caravan/psbt compares the number of heights with the number of times and with
# the number of all inputs, and answers null, which it uses for "no lock time is possible". Without the second input it
# answers the height.
#
# Output seen:
#   either: @scure/btc-signer 100, @caravan/psbt 100
#   either, none: @scure/btc-signer 100, @caravan/psbt null
#   either, either, none: @scure/btc-signer 100, @caravan/psbt null
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts @caravan/psbt@2.1.0 @scure/btc-signer@2.4.1 >/dev/null
cat > run.mjs <<'JS'
import { PsbtV2 } from '@caravan/psbt';
import { Transaction } from '@scure/btc-signer';
const both = { requiredHeightLocktime: 100, requiredTimeLocktime: 1_700_000_000 };
for (const [name, inputs] of [['either', [both]], ['either, none', [both, {}]], ['either, either, none', [both, both, {}]]]) {
  const tx = new Transaction({ PSBTVersion: 2, allowUnknownOutputs: true });
  for (const [index, input] of inputs.entries()) tx.addInput({ txid: '11'.repeat(32), index, sequence: 0xfffffffd, ...input });
  tx.addOutput({ script: Uint8Array.of(0x51), amount: 1000n });
  const psbt = Buffer.from(tx.toPSBT(2)).toString('base64');
  console.log(`${name}: @scure/btc-signer ${tx.lockTime}, @caravan/psbt ${new PsbtV2(psbt).nLockTime}`);
}
JS
node run.mjs | tee seen
diff seen - <<'TXT'
either: @scure/btc-signer 100, @caravan/psbt 100
either, none: @scure/btc-signer 100, @caravan/psbt null
either, either, none: @scure/btc-signer 100, @caravan/psbt null
TXT
