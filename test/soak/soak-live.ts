// A long day of a node in mode `live`, in short: payments (chains, replacements, conflicts) without end, a block every
// few seconds, reorganisations, hundreds of long polls, four impatient pollers, a stream, metrics scraped; every
// template that anybody is given is proposed to a second node. Prints what it saw; ends with 1 when a template was
// refused, a poll was forgotten, memory grew or the loop was later than the machine makes it.
//
//   node build/test/soak/soak-live.js        SOAK_SECONDS=1800 SOAK_POLLS=500 SOAK_BLOCK_SECONDS=4 SOAK_TPS=40
import { faultsOf, tableOf } from './soak-report.js';
import { runSoak } from './soak-run.js';

const { env } = process;
const report = await runSoak({
  seconds: Number(env.SOAK_SECONDS ?? 1800),
  polls: Number(env.SOAK_POLLS ?? 500),
  blockSeconds: Number(env.SOAK_BLOCK_SECONDS ?? 4),
  transactionsPerSecond: Number(env.SOAK_TPS ?? 40),
});
console.log(tableOf(report));
console.log(`refusals: ${JSON.stringify(report.refusals)}; tips moved on before a verdict: ${report.late}`);
console.log(`resident MB, every 10 s: ${report.residentMb.join(' ')}`);
for (const [part, megabytes] of Object.entries(report.census)) {
  console.log(
    `${part} MB, every minute: ${megabytes
      .filter((_, i) => i % 6 === 0)
      .map((one) => one.toFixed(1))
      .join(' ')}`,
  );
}
const faults = faultsOf(report, true);
for (const fault of faults) console.log(`FAULT ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
