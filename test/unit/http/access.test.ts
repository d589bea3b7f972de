import { createHmac } from 'node:crypto';
import t from 'tap';
import { AddressFilter, MethodFilter } from '../../../src/http/front/access.js';
import { Authenticator } from '../../../src/http/front/auth.js';
import { errorPage, statusLine } from '../../../src/http/front/pages.js';
import { scanMethod } from '../../../src/http/front/scan-method.js';
import { asksForGzip } from '../../../src/http/front/template-exchange.js';

const v4 = (...bytes: number[]) => Uint8Array.from(bytes);
const mapped = (...bytes: number[]) => Uint8Array.from([...new Array(10).fill(0), 0xff, 0xff, ...bytes]);
const v6 = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

t.test('allows clients on the own machine and in -rpcallowip, and no others', async (t) => {
  const own = new AddressFilter([]);
  t.ok(own.allows(v4(127, 0, 0, 1)));
  t.ok(own.allows(v4(127, 9, 9, 9)));
  t.ok(own.allows(mapped(127, 0, 0, 1)));
  t.ok(own.allows(v6('00000000000000000000000000000001')));
  t.notOk(own.allows(v4(10, 0, 0, 1)));
  t.notOk(own.allows(v6('fe800000000000000000000000000001')));
  t.notOk(own.allows(new Uint8Array(0)), 'a socket without an address');
  const more = new AddressFilter([
    { address: '10.1.0.0', prefix: 16 },
    { address: 'fd00::', prefix: 8 },
  ]);
  t.ok(more.allows(v4(10, 1, 255, 3)));
  t.ok(more.allows(mapped(10, 1, 0, 1)));
  t.notOk(more.allows(v4(10, 2, 0, 1)));
  t.ok(more.allows(v6('fd120000000000000000000000000001')));
  t.notOk(more.allows(v6('fe120000000000000000000000000001')));
});

t.test('asksForGzip reads the quality of gzip in Accept-Encoding', async (t) => {
  for (const value of ['gzip', 'deflate, gzip', 'gzip;q=0.5', 'br;q=1, GZIP ; q=0.001']) t.ok(asksForGzip(value), value);
  for (const value of ['deflate', 'gzip;q=0', 'gzip; q=0.000', 'x-gzip', '', '*']) t.notOk(asksForGzip(value), value);
});

t.test('allows listed users their methods, and others all or none', async (t) => {
  const lists = new MethodFilter({
    users: new Map([
      ['bob', ['uptime']],
      ['eve', []],
    ]),
    refuseOthers: false,
  });
  t.same([...lists.allowed('bob')!], ['uptime']);
  t.equal(lists.allowed('eve')?.size, 0);
  t.equal(lists.allowed('ann'), null);
  t.equal(new MethodFilter({ users: new Map(), refuseOthers: true }).allowed('ann')?.size, 0);
});

t.test('accepts right credentials of both kinds, and tells wrong from missing ones', async (t) => {
  const hashHex = createHmac('sha256', 'pepper').update('sécret').digest('hex');
  const auth = new Authenticator({ plain: [':empty', 'a:b'], hashed: [{ user: 'ann', salt: 'pepper', hashHex }] });
  const check = (text: string) => auth.check(`Basic ${Buffer.from(text).toString('base64')}`);
  t.same(check('a:b'), { kind: 'user', user: 'a' });
  t.same(check('a:b'), { kind: 'user', user: 'a' }, 'remembered');
  t.same(check(':empty'), { kind: 'user', user: '' });
  t.same(check('ann:sécret'), { kind: 'user', user: 'ann' });
  for (const text of ['a:c', 'a:', 'a:bb', 'ann:secret', 'bob:sécret', 'ann', '']) t.same(check(text), { kind: 'wrong' }, text);
  t.same(auth.check(''), { kind: 'missing' });
  t.same(auth.check(`Basic   ${Buffer.from('a:b').toString('base64')}  `), { kind: 'user', user: 'a' });
  const right = Buffer.from('a:b').toString('base64');
  t.same(auth.check(`Basic ${right.replace(/=+$/, '')}`), { kind: 'user', user: 'a' }, 'no padding');
  t.same(auth.check(`Basic ${right}=!`), { kind: 'user', user: 'a' }, 'what follows is not read');
  t.same(auth.check(`Basic "${right}"`), { kind: 'wrong' }, 'quoted');
  t.same(auth.check(`Basic\t${right}`), { kind: 'wrong' }, 'a tab');
  t.same(auth.check(`BASIC ${Buffer.from('a:b').toString('base64')}`), { kind: 'wrong' });
});

t.test('scanMethod finds the method in a body with large parameters', async (t) => {
  const big = 'f'.repeat(70_000);
  t.equal(scanMethod(Buffer.from(`{"method":"submitblock","params":["${big}"]}`)), 'submitblock');
  t.equal(scanMethod(Buffer.from(`{"params":["${big}"],"id":1, "method" : "submitheader"}`)), 'submitheader');
  t.equal(scanMethod(Buffer.from(` [{"method":"submitblock","params":["${big}"]}]`)), 'batch');
  t.equal(scanMethod(Buffer.from(`{"params":["${big}"],"method":"x","id":"${big}"}`)), 'large');
});

t.test('renders status lines and error pages as Core does', async (t) => {
  t.equal(statusLine(413), '413 Request Entity Too Large');
  t.equal(
    errorPage(503),
    '<HTML><HEAD>\n<TITLE>503 Service Unavailable</TITLE>\n</HEAD><BODY>\n<H1>Service Unavailable</H1>\n</BODY></HTML>\n',
  );
});
