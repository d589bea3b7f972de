#!/usr/bin/env node
// The client's entry: what it does is in cli/.
import { cliErrorText, runCli } from './cli/run.js';

// A reader that has read enough (`| head`) is no error; a disk that cannot take the answer is one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`error: The answer could not be written: ${error.message}\n`);
  process.exitCode = 1;
});
process.stderr.on('error', () => {});

runCli(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    process.stderr.write(`error: ${cliErrorText(error)}\n`);
    process.exitCode = 1;
  },
);
