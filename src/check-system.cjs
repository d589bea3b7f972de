// What adit needs of Node.js and the system, checked before anything else is read: where it is missing, an import fails
// in words that say nothing. In a syntax that old versions of Node.js can read.

/**
 * Returns what keeps adit from running, in one sentence, or an empty text.
 * @param {string} version of Node.js
 * @param {string} platform as process.platform
 * @param {() => string | undefined} glibc the version of the C library; undefined where it is another one
 */
function systemProblem(version, platform, glibc) {
  const [major, minor] = version.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 15) || major === 21 || (major === 22 && minor < 2) || major === 25)
    return `adit runs on Node.js 20 (from 20.15), 22 (from 22.2), 23, 24, and 26; this is Node.js ${version}.`;
  // The HTTP library has binaries of two lines; those for Node.js 24 and later are built on a newer system.
  if (major < 24 || platform !== 'linux') return '';
  const found = glibc();
  const [, part = 0] = (found || '').split('.').map(Number);
  if (found && (Number.parseInt(found, 10) > 2 || part >= 38)) return '';
  const here = found ? `glibc ${found}` : 'another C library than glibc';
  return `adit needs glibc 2.38 or newer with Node.js ${major} (Debian 13, Ubuntu 24.04); this system has ${here}. Node.js 20 and 22 run on older systems.`;
}

/**
 * Ends the process with a sentence on stderr if adit cannot run here.
 * @param {boolean} serves whether it loads the HTTP library
 */
function requireSystem(serves) {
  const glibc = () => (serves ? process.report.getReport().header.glibcVersionRuntime : '2.38');
  const problem = systemProblem(process.versions.node, process.platform, glibc);
  if (problem === '') return;
  process.stderr.write(`Error: ${problem}\n`);
  process.exit(1);
}

module.exports = { requireSystem, systemProblem };
