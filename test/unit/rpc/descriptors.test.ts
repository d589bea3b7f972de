// getdescriptorinfo, deriveaddresses, createmultisig and signed messages over the node's executor.
import t from 'tap';
import { descriptorChecksum } from '../../../src/address/descriptor/checksum.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { COMPATS } from '../../../src/policy/compat.js';
import { RPC_CODE } from '../../../src/rpc/errors.js';
import { deriveAddresses } from '../../../src/rpc/node/derive-addresses.js';
import { createJobWords, JOB_WORD } from '../../../src/rpc/reads/coin-job.js';
import { ScanSize } from '../../../src/rpc/reads/scan-job.js';
import { crypto, openFixture } from '../../framework/chain-fixture.js';
import { descriptorContext } from '../../framework/descriptor-context.js';
import { openExecutor } from './executor-fixture.js';

const KEY = '03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd';
const OTHER = '02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9';
const LONG =
  '04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235';
const TPUB = 'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';
const summed = (text: string): string => `${text}#${descriptorChecksum(text)}`;

t.test('getdescriptorinfo and deriveaddresses describe descriptors and reject invalid ranges', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { call, fault, context } = openExecutor(fixture);
  t.same(await call('getdescriptorinfo', `wpkh(${TPUB}/0/*)`), {
    descriptor: summed(`wpkh(${TPUB}/0/*)`),
    checksum: descriptorChecksum(`wpkh(${TPUB}/0/*)`),
    isrange: true,
    issolvable: true,
    hasprivatekeys: false,
  });
  t.equal(await fault('getdescriptorinfo', 5), '-3 Expected type string, got number');
  t.equal(await fault('getdescriptorinfo', 'x'), '-5 x is not a valid descriptor function');

  const ranged = summed(`wpkh(${TPUB}/0/*)`);
  const five = (await call('deriveaddresses', ranged, 4)) as string[];
  t.equal(new Set(five).size, 5);
  t.same(await call('deriveaddresses', ranged, [3, 4]), five.slice(3));
  t.equal(await fault('deriveaddresses', ranged), '-8 Range must be specified for a ranged descriptor');
  t.equal(await fault('deriveaddresses', summed(`pkh(${KEY})`), 0), '-8 Range should not be specified for an un-ranged descriptor');
  t.equal(await fault('deriveaddresses', ranged, [-1, 4]), '-8 Range should be greater or equal than 0');
  t.equal(await fault('deriveaddresses', ranged, -1), '-8 End of range is too high');
  t.equal(await fault('deriveaddresses', ranged, [2, 1]), '-8 Range specified as [begin,end] must not have begin after end');
  t.equal(await fault('deriveaddresses', ranged, [0, 1_000_000]), '-8 Range is too large');
  t.equal(await fault('deriveaddresses', ranged, ['0', 1]), '-8 Range must be specified as end or as [begin,end]');
  t.equal(await fault('deriveaddresses', `wpkh(${KEY})`), '-5 Missing checksum');
  t.equal(await fault('deriveaddresses', summed(`wpkh(${TPUB}/1')`)), '-5 Cannot derive script without private keys');
  t.equal(await fault('deriveaddresses', summed('raw(6a)')), '-5 Descriptor does not have a corresponding address');

  Object.assign(context, { descriptors: descriptorContext('master', 'regtest') });
  const info = (await call('getdescriptorinfo', `wpkh(${TPUB}/<0;1>/*)`)) as { descriptor: string; multipath_expansion: string[] };
  t.same(info.multipath_expansion, [summed(`wpkh(${TPUB}/0/*)`), summed(`wpkh(${TPUB}/1/*)`)]);
  t.equal(info.descriptor, info.multipath_expansion[0]);
  const lists = (await call('deriveaddresses', summed(`wpkh(${TPUB}/<0;1>/*)`), 2)) as string[][];
  t.same(lists[0], five.slice(0, 3));
  t.equal(lists[1].length, 3);
  t.match(await call('deriveaddresses', summed(`tr(${KEY})`)), [/^bcrt1p/]);
});

t.test('deriveaddresses tells its progress, and refuses a result above 256 MiB', async (t) => {
  const compat = COMPATS['31'];
  const render = { compat, params: chainParams('regtest'), hashes: crypto, descriptors: descriptorContext('master', 'regtest') };
  const words = createJobWords();
  const range = { begin: 0, end: 9 };
  const job = { descriptor: summed(`wpkh(${TPUB}/<0;1>/*)`), range, hasRange: true, secrets: null, words };
  // Twenty addresses of 44 characters, with quotes and commas.
  t.equal(deriveAddresses(job, render, new ScanSize(940)).length, 945);
  t.equal(words[JOB_WORD.PROGRESS], 20, 'so its thread does not count as stuck');
  const text = 'The result is larger than 256 MiB. Ask for fewer descriptors, addresses or blocks';
  t.throws(() => deriveAddresses(job, render, new ScanSize(939)), { code: RPC_CODE.OUT_OF_MEMORY, message: text });
});

t.test('createmultisig returns address, script and descriptor, and rejects invalid keys and counts', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { call, fault } = openExecutor(fixture);
  const script = `5121${KEY}21${OTHER}52ae`;
  const keys = [KEY, OTHER];
  const wanted = (form: string, address: string) => ({ address, redeemScript: script, descriptor: summed(form) });
  const multi = `multi(1,${KEY},${OTHER})`;
  const addressOf = async (form: string) => ((await call('deriveaddresses', summed(form))) as string[])[0];
  t.same(await call('createmultisig', 1, keys), wanted(`sh(${multi})`, await addressOf(`sh(${multi})`)));
  t.same(await call('createmultisig', 1, keys, 'bech32'), wanted(`wsh(${multi})`, await addressOf(`wsh(${multi})`)));
  t.same(await call('createmultisig', 1, keys, 'p2sh-segwit'), wanted(`sh(wsh(${multi}))`, await addressOf(`sh(wsh(${multi}))`)));
  const mixed = (await call('createmultisig', 1, [LONG, OTHER], 'bech32')) as { descriptor: string };
  t.equal(mixed.descriptor, summed(`sh(multi(1,${LONG},${OTHER}))`), 'uncompressed keys have no witness address');
  t.equal(await fault('createmultisig', 1, ['xyz']), '-5 Invalid public key: xyz\n.');
  t.equal(await fault('createmultisig', 1, [`02${'f'.repeat(64)}`]), `-5 Invalid public key: 02${'f'.repeat(64)}`);
  t.equal(await fault('createmultisig', 3, keys), '-8 not enough keys supplied (got 2 keys, but need at least 3 to redeem)');
  t.equal(await fault('createmultisig', 0, keys), '-8 a multisignature address must require at least one key to redeem');
  t.equal(await fault('createmultisig', 1, Array(16).fill(KEY)), '-8 redeemScript exceeds size limit: 547 > 520');
  t.match(await fault('createmultisig', 1, Array(17).fill(KEY)), /^-8 Number of keys involved .* > 16\nReduce the number$/);
  t.equal(await fault('createmultisig', 1, keys, 'bech32m'), "-5 Unknown address type 'bech32m'");

  const later = openExecutor(fixture, new Map(), COMPATS['31']);
  const twenty = Array<string>(20).fill(KEY);
  const large = (await later.call('createmultisig', 17, twenty, 'bech32')) as { redeemScript: string; descriptor: string };
  t.equal(large.redeemScript, `0111${`21${KEY}`.repeat(20)}0114ae`, 'a witness may have 20 keys');
  t.equal(large.descriptor, summed(`wsh(multi(17,${twenty.join()}))`));
  t.equal(await later.fault('createmultisig', 1, Array(16).fill(KEY)), '-8 redeemScript exceeds size limit: 547 > 520');
  t.match(await later.fault('createmultisig', 1, [...twenty, KEY], 'bech32'), /^-8 Number of keys involved .* > 20\nReduce the number$/);
  t.same(((await later.call('createmultisig', 1, [LONG, OTHER], 'bech32')) as { warnings: string[] }).warnings, [
    'Unable to make chosen address type, please ensure no uncompressed public keys are present.',
  ]);
  t.equal(await later.fault('createmultisig', 1, keys, 'bech32m'), '-5 createmultisig cannot create bech32m multisig addresses');
});

t.test('signmessagewithprivkey and verifymessage agree with Core', async (t) => {
  const fixture = await openFixture();
  t.teardown(() => fixture.end());
  const { call, fault } = openExecutor(fixture);
  // The pair that Core's own tests use.
  const wif = 'cUeKHd5orzT3mz8P9pxyREHfsWtVfgsfDjiZZBcjUBAaGk1BTj7N';
  const address = 'mpLQjfK79b7CCV4VMJWEWAj5Mpx8Up5zxB';
  const message = 'This is just a test message';
  const signature = 'INbVnW4e6PeRmsv2Qgu8NuopvrVjkcxob+sX8OcZG0SALhWybUjzMLPdAsXI46YZGb0KQTRii+wWIQzRpG/U+S0=';
  t.equal(await call('signmessagewithprivkey', wif, message), signature);
  t.equal(await call('verifymessage', address, signature, message), true);
  t.equal(await call('verifymessage', address, signature, `${message}.`), false);
  t.equal(await call('verifymessage', 'mkHS9ne12qx9pS9VojpwU5xtRd4T7X7ZUt', signature, message), false);
  t.equal(await call('verifymessage', address, 'AAAA', message), false, 'too short');
  const newest = openExecutor(fixture, new Map(), COMPATS['31']);
  t.equal(await newest.fault('verifymessage', 'nothing', signature, message), '-5 Invalid address', 'since release 22');
  t.equal(await call('verifymessage', address, signature.replace('INb', 'BNb'), message), false, 'another header');
  const accents = (await call('signmessagewithprivkey', wif, 'é ₿')) as string;
  t.equal(await call('verifymessage', address, accents, 'é ₿'), true);
  t.equal(await fault('verifymessage', 'x', signature, message), '-3 Invalid address');
  t.equal(await fault('verifymessage', '2N7K71Qaxd5zcgarLq9J1MFGWyjfrTtqwX6', signature, message), '-3 Address does not refer to key');
  for (const broken of ['=', 'AA=A', 'AAA', 'AB==', 'A A=', signature.slice(1)]) {
    t.equal(await fault('verifymessage', address, broken, message), '-3 Malformed base64 encoding', broken);
  }
  t.equal(await fault('signmessagewithprivkey', 'x', message), '-5 Invalid private key');
});
