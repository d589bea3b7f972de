// Writes docs/dependencies.md (npm run licences), and says what is wrong with the packages. Exit status 1 then.
import fs from 'node:fs';
import path from 'node:path';
import { dependenciesPage, faultsOf, readLock } from './list.js';

const root = path.resolve(import.meta.dirname, '../../..');
const lock = readLock(root);
fs.writeFileSync(path.join(root, 'docs', 'dependencies.md'), dependenciesPage(lock));
const faults = faultsOf(lock, root);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
