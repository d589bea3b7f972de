// Replies of getaddressinfo about scripts without a template that were imported into a legacy wallet.
import t from 'tap';
import { encodeAddress } from '../../../src/address/address.js';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import type { Expansion } from '../../../src/address/descriptor/expansion.js';
import { encodeWif } from '../../../src/address/wif.js';
import { COMPATS, type CompatName } from '../../../src/policy/compat.js';
import { getaddressinfo } from '../../../src/rpc/methods/wallet/getaddressinfo.js';
import { importdescriptors } from '../../../src/rpc/methods/wallet/importdescriptors.js';
import { importmulti } from '../../../src/rpc/methods/wallet/importmulti.js';
import type { RawJson } from '../../../src/rpc/wire/values.js';
import { WALLET_FLAG } from '../../../src/wallet/wallet-record.js';
import { descriptorContext, keyMath, mustParse } from '../../framework/descriptor-context.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { contextOf, run, XPUB } from '../../framework/wallet-calls.js';

const context = descriptorContext('master', 'regtest');

t.test('getaddressinfo describes imported miniscript and taproot scripts', async (t) => {
  const { wallet } = await createMemoryWallet();
  const key = (n: number): string => `[deadbeef/84h]${XPUB}/${n}`;
  const forms = [
    `wsh(and_v(v:pk(${key(0)}),older(144)))`,
    `sh(wsh(or_d(pk(${key(1)}),and_v(v:pkh(${key(2)}),after(500)))))`,
    `tr(${key(3)})`,
    `rawtr(${key(4)})`,
  ];
  for (const form of forms) {
    const desc = addChecksum(form);
    t.same(await run(wallet, importmulti, [{ desc, timestamp: 'now', watchonly: true }], { rescan: false }), [{ success: true }], form);
    const [descriptor] = mustParse(form, context).descriptors;
    const { scripts, keys } = descriptor.expand(0) as Expansion;
    const [script] = scripts as [Uint8Array];
    let at = 0;
    const shown = (): string => Buffer.from(keys[at++].publicKey).toString('hex', form.startsWith('rawtr') ? 1 : 0);
    const single = addChecksum(form.replaceAll(/\[deadbeef\/84h\]\w+\/(\d)/g, (_, step) => `[deadbeef/84'/${step}]${shown()}`));
    const reply = (await run(wallet, getaddressinfo, encodeAddress(script, context.params, crypto))) as RawJson;
    const info = JSON.parse(reply.text);
    t.equal(info.solvable, true, form);
    // A legacy wallet does not store the parts of a taproot output.
    if (form.startsWith('tr')) t.equal(info.desc, addChecksum(`rawtr(${Buffer.from(script.subarray(2)).toString('hex')})`));
    else t.equal(info.desc, single);
  }
});

t.test('describes a witness script with an uncompressed key by default, but not as Core 31', async (t) => {
  const { wallet } = await createMemoryWallet();
  const secret = new Uint8Array(32).fill(3);
  const [long, short] = [false, true].map((compressed) => keyMath.publicKey(secret, compressed) as Uint8Array);
  const script = Buffer.concat([Buffer.of(0x51, 65), long, Buffer.of(33), short, Buffer.of(0x52, 0xae)]);
  const address = encodeAddress(Buffer.concat([Buffer.of(0, 32), crypto.sha256(script)]), context.params, crypto) as string;
  const keys = [false, true].map((compressed) => encodeWif({ key: secret, compressed }, context.params));
  const request = { scriptPubKey: { address }, witnessscript: script.toString('hex'), keys, timestamp: 'now' };
  t.same(await run(wallet, importmulti, [request], { rescan: false }), [{ success: true }]);
  const received = async (version: CompatName): Promise<unknown> => {
    const ctx = { ...contextOf(wallet), compat: COMPATS[version] };
    // Answers are kept for as long as the wallet stays as it is.
    await wallet.change(() => {});
    return JSON.parse(((await runMethod(getaddressinfo, ctx, [address], { user: '', path: '/' })) as RawJson).text);
  };
  const named = [long, short].map(
    (key) => `[${Buffer.from(crypto.hash160(key)).toString('hex', 0, 4)}]${Buffer.from(key).toString('hex')}`,
  );
  const desc = addChecksum(`wsh(multi(1,${named}))`);
  t.match(await received('default'), { solvable: true, desc }, 'a member of 0.21.1 is there by default');
  t.match(await received('31'), { solvable: false, desc: undefined });
});

t.test('a descriptor wallet infers miniscript from the script', async (t) => {
  const { wallet } = await createMemoryWallet({ descriptors: true });
  const key = (n: number): string => Buffer.from(keyMath.publicKey(new Uint8Array(32).fill(n), true) as Uint8Array).toString('hex');
  const parts = [`v:pk(${key(1)})`, `or_c(pk(${key(2)}),v:pk(${key(3)}))`, 'older(9)'];
  const desc = addChecksum(`wsh(and_v(${parts[0]},and_v(${parts[1]},${parts[2]})))`);
  wallet.record.flags |= WALLET_FLAG.DISABLE_PRIVATE_KEYS;
  t.same(await run(wallet, importdescriptors, [{ desc, timestamp: 'now' }]), [{ success: true }]);
  const [script] = mustParse(desc, context).descriptors[0].scripts(0) as Uint8Array[];
  const reply = (await run(wallet, getaddressinfo, encodeAddress(script, context.params, crypto))) as RawJson;
  const received = (JSON.parse(reply.text).desc as string).replaceAll(/\[\w+\]|#.*/g, '');
  t.equal(received, `wsh(and_v(and_v(${parts[0]},${parts[1]}),${parts[2]}))`);
});
