#!/usr/bin/env bash
# coinselect 3.1.13, with the fee rates that Bitcoin Core gives since version 30: estimatesmartfee and mempoolminfee can be
# below 1 satoshi per virtual byte, and were always fractions. One expects coinselect to round the fee up, as Core does. In
# fact every algorithm of the package returns an empty object for a rate that is no whole number: no inputs, no outputs, and no
# fee either, which it does return when the coins do not suffice. No error is raised.
#
# Output seen:
#   rate 1: 1 input, 2 outputs, fee 226
#   rate 2: 1 input, 2 outputs, fee 452
#   rate 1.5: coinselect {}, accumulative {}, blackjack {}, split {}
#   rate 0.1: coinselect {}, accumulative {}, blackjack {}, split {}
#   coins that do not suffice, rate 1: no inputs, fee 192
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts coinselect@3.1.13 >/dev/null
cat > run.cjs <<'JS'
const algorithms = {
  coinselect: require('coinselect'),
  accumulative: require('coinselect/accumulative'),
  blackjack: require('coinselect/blackjack'),
  split: require('coinselect/split'),
};
const coins = [{ txId: 'a'.repeat(64), vout: 0, value: 100_000 }];
const payment = (value) => [{ address: 'somebody', value }];
for (const rate of [1, 2]) {
  const { inputs, outputs, fee } = algorithms.coinselect(coins, payment(50_000), rate);
  console.log(`rate ${rate}: ${inputs.length} input, ${outputs.length} outputs, fee ${fee}`);
}
for (const rate of [1.5, 0.1]) {
  const results = Object.entries(algorithms).map(([name, select]) => {
    const outputs = name === 'split' ? [{ address: 'somebody' }] : payment(50_000);
    return `${name} ${JSON.stringify(select(coins, outputs, rate))}`;
  });
  console.log(`rate ${rate}: ${results.join(', ')}`);
}
const { inputs, fee } = algorithms.coinselect(coins, payment(200_000), 1);
console.log(`coins that do not suffice, rate 1: ${inputs === undefined ? 'no' : inputs.length} inputs, fee ${fee}`);
JS
node run.cjs | tee seen
diff seen - <<'TXT'
rate 1: 1 input, 2 outputs, fee 226
rate 2: 1 input, 2 outputs, fee 452
rate 1.5: coinselect {}, accumulative {}, blackjack {}, split {}
rate 0.1: coinselect {}, accumulative {}, blackjack {}, split {}
coins that do not suffice, rate 1: no inputs, fee 192
TXT
