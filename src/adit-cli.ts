// Entry of adit-cli, which cli/ implements.
import { cliErrorText, runCli } from './cli/run.js';

// Ignore a reader that closed the pipe (`| head`). Report other failures, such as a full disk.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`error: Could not write the reply to stdout: ${error.message}\n`);
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
