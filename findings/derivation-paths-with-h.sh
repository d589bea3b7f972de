#!/usr/bin/env bash
# bip32 5.0.1 and @scure/bip32 2.4.0, with key paths as Bitcoin Core prints them. Since version 24 Core marks hardened steps
# with h (hdkeypath of getaddressinfo, descriptors), and BIP-0380 and BIP-0032 name h and H beside the apostrophe. One expects
# the libraries to take Core's own output. In fact both throw for h and H, and take the apostrophe only. A library on top hides
# this: @bitcoinerlab/descriptors 3.2.0, which uses bip32, takes all three in a descriptor's key.
#
# Output seen:
#   m/84'/1'/0': bip32 yes, @scure/bip32 yes
#   m/84h/1h/0h: bip32 no, @scure/bip32 no
#   m/84H/1H/0H: bip32 no, @scure/bip32 no
#   descriptor with ': yes
#   descriptor with h: yes
#   descriptor with H: yes
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts bip32@5.0.1 @scure/bip32@2.4.0 @bitcoinerlab/secp256k1@1.2.0 @bitcoinerlab/descriptors@3.2.0 >/dev/null
cat > run.mjs <<'JS'
import { DescriptorsFactory } from '@bitcoinerlab/descriptors';
import * as ecc from '@bitcoinerlab/secp256k1';
import { HDKey } from '@scure/bip32';
import { BIP32Factory } from 'bip32';
const seed = Buffer.alloc(32, 1);
const one = BIP32Factory(ecc).fromSeed(seed);
const other = HDKey.fromMasterSeed(seed);
const accepts = (run) => {
  try {
    run();
    return 'yes';
  } catch {
    return 'no';
  }
};
for (const path of ["m/84'/1'/0'", 'm/84h/1h/0h', 'm/84H/1H/0H']) {
  console.log(`${path}: bip32 ${accepts(() => one.derivePath(path))}, @scure/bip32 ${accepts(() => other.derive(path))}`);
}
const { Output } = DescriptorsFactory(ecc);
for (const mark of ["'", 'h', 'H']) {
  const descriptor = `wpkh(${one.toBase58()}/84${mark}/0/5)`;
  console.log(`descriptor with ${mark}: ${accepts(() => new Output({ descriptor }))}`);
}
JS
node run.mjs | tee seen
diff seen - <<'TXT'
m/84'/1'/0': bip32 yes, @scure/bip32 yes
m/84h/1h/0h: bip32 no, @scure/bip32 no
m/84H/1H/0H: bip32 no, @scure/bip32 no
descriptor with ': yes
descriptor with h: yes
descriptor with H: yes
TXT
