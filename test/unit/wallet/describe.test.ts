// What getaddressinfo says of scripts without a template that a legacy wallet was told of.
import t from 'tap';
import { encodeAddress } from '../../../src/address/address.js';
import { addChecksum } from '../../../src/address/descriptor/checksum.js';
import { getaddressinfo } from '../../../src/rpc/wallet/getaddressinfo.js';
import { importmulti } from '../../../src/rpc/wallet/importmulti.js';
import type { RawJson } from '../../../src/rpc/wire/values.js';
import { descriptorContext, mustParse } from '../../framework/descriptor-context.js';
import { createMemoryWallet, crypto } from '../../framework/memory-wallet.js';
import { run, XPUB } from '../../framework/wallet-calls.js';

const context = descriptorContext('master', 'regtest');

t.test('imported miniscript and taproot', async (t) => {
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
    const [script] = descriptor.scripts(0) as Uint8Array[];
    const single = String(descriptor.at(0));
    const reply = (await run(wallet, getaddressinfo, encodeAddress(script, context.params, crypto))) as RawJson;
    const info = JSON.parse(reply.text);
    t.equal(info.solvable, true, form);
    // What makes a taproot output is nothing that a legacy wallet keeps.
    if (form.startsWith('tr')) t.equal(info.desc, addChecksum(`rawtr(${Buffer.from(script.subarray(2)).toString('hex')})`));
    else t.equal(info.desc, single);
  }
});
