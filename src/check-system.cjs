// Checks the versions of Node.js and glibc before any other module is loaded, because a failing import gives no useful
// message. Written in a syntax that old versions of Node.js can parse.

/**
 * Returns a sentence that says why adit cannot run here, or an empty text if it can.
 * @param {string} version of Node.js
 * @param {string} platform as process.platform
 * @param {() => string | undefined} glibc returns the version of glibc; undefined with another C library
 */
function systemProblem(version, platform, glibc) {
  const [major, minor] = version.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 15) || major === 21 || (major === 22 && minor < 2) || major === 25)
    return `adit runs on Node.js 20 (from 20.15), 22 (from 22.2), 23, 24, and 26; this is Node.js ${version}.`;
  // The binaries of uWebSockets.js for Node.js 24 and later need glibc 2.38. Only bench/http-load loads that package.
  if (major < 24 || platform !== 'linux') return '';
  const found = glibc();
  const [, part = 0] = (found || '').split('.').map(Number);
  if (found && (Number.parseInt(found, 10) > 2 || part >= 38)) return '';
  const here = found ? `glibc ${found}` : 'another C library than glibc';
  return `adit needs glibc 2.38 or newer with Node.js ${major} (Debian 13, Ubuntu 24.04); this system has ${here}. Node.js 20 and 22 run on older systems.`;
}

/**
 * Ends the process with a sentence on stderr if adit cannot run here.
 * @param {boolean} serves whether the command is a server; false skips the check of glibc
 */
function requireSystem(serves) {
  const glibc = () => (serves ? process.report.getReport().header.glibcVersionRuntime : '2.38');
  const problem = systemProblem(process.versions.node, process.platform, glibc);
  if (problem === '') return;
  process.stderr.write(`Error: ${problem}\n`);
  process.exit(1);
}

module.exports = { requireSystem, systemProblem };
