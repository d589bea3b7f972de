import t from 'tap';
import { AbsenceReports, adviceFor } from '../../../src/fleet/broker.js';
import { TrustReports } from '../../../src/fleet/follow/trust-reports.js';
import { newNodeKey, Signer } from '../../../src/fleet/signed.js';

const error = (name: string, message: string, code?: string): Error => Object.assign(new Error(message), { name, code });

t.test('names the cause of a failed connection and what to check', async (t) => {
  t.match(adviceFor(error('AuthorizationError', 'Authorization Violation')), /refuses the user.*check/);
  t.match(adviceFor(error('Error', 'self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT')), /certificates/);
  t.match(adviceFor(error('ConnectionError', "server does not support 'tls'")), /TLS/);
  t.match(adviceFor(error('ConnectionError', 'connection refused')), /connection refused; is nats-server running/);
  t.match(adviceFor(error('Error', 'getaddrinfo ENOTFOUND b.example', 'ENOTFOUND')), /cannot be resolved/);
  t.match(adviceFor(error('TimeoutError', 'timeout')), /does not answer/);
});

t.test('reports an absence after five seconds, every five minutes, and when its cause changes', async (t) => {
  const absence = new AbsenceReports();
  absence.beginAbsence(1_000);
  t.equal(absence.isDue('refused', 5_900), false);
  t.equal(absence.isDue('refused', 6_000), true);
  t.equal(absence.isDue('refused', 7_000), false);
  t.equal(absence.isDue('password', 8_000), true, 'another cause');
  t.equal(absence.isDue('password', 307_900), false);
  t.equal(absence.isDue('password', 308_000), true);
  absence.beginAbsence(400_000);
  t.equal(absence.isDue('password', 404_000), false, 'a new absence counts from its beginning');
  t.equal(absence.isDue('password', 405_000), true);
});

t.test('reports a connection without a trusted publication after ten seconds', async (t) => {
  const said: string[] = [];
  const reports = new TrustReports(['a', 'b'], 'regtest', (text) => said.push(text));
  reports.check(true, 0);
  reports.check(true, 9_900);
  t.same(said, []);
  reports.check(false, 10_000);
  reports.check(true, 11_000);
  reports.check(true, 20_900);
  t.same(said, [], 'a lost connection starts the time again');
  reports.check(true, 21_000);
  reports.check(true, 60_000);
  t.equal(said.length, 1);
  t.match(said[0], /received nothing from the nodes a, b.*adit\.regtest\.>/);
  reports.check(true, 321_000);
  t.equal(said.length, 2, 'repeated every five minutes');
  reports.accepted();
  reports.check(true, 900_000);
  t.equal(said.length, 2);
});

t.test('reports a publication with the wrong key, of another network, or of an unknown node once', async (t) => {
  const said: string[] = [];
  const reports = new TrustReports(['a'], 'regtest', (text) => said.push(text));
  const publication = (chain: string, node: string) => new Signer(newNodeKey(), chain, node, 'run').publication('fact', new Uint8Array(1));
  for (let i = 0; i < 2; i++) {
    reports.refused(publication('regtest', 'a'));
    reports.refused(publication('main', 'm'));
    reports.refused(publication('regtest', 'c'));
  }
  t.equal(said.length, 3);
  t.match(said[0], /publications of a are not signed with its key in -fleetnode/);
  t.match(said[1], /m publishes for main, not for regtest/);
  t.match(said[2], /c publishes, but no -fleetnode names it/);
  reports.refused(publication('regtest', 'bad\nname'));
  reports.refused(new Uint8Array(3));
  t.equal(said.length, 3, 'names that no node can have do not reach the log');
  for (let i = 0; i < 100; i++) reports.refused(publication('regtest', `n${i}`));
  t.equal(said.length, 16, 'an unknown node cannot fill the log');
});
