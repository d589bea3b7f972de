#!/usr/bin/env node
// The client's entry: what it does is in cli/.
import { cliErrorText, runCli } from './cli/run.js';

runCli(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.stderr.write(`error: ${cliErrorText(error)}\n`);
    process.exitCode = 1;
  },
);
