// Checks the version of Node.js before any other module is loaded, because a failing import gives no useful message.
// Written in a syntax that old versions of Node.js can parse.

/**
 * Returns a sentence that says why adit cannot run here, or an empty text if it can.
 * @param {string} version of Node.js
 */
function systemProblem(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 15) || major === 21 || (major === 22 && minor < 2) || major === 25)
    return `adit runs on Node.js 20 (from 20.15), 22 (from 22.2), 23, 24, and 26; this is Node.js ${version}.`;
  return '';
}

/** Ends the process with a sentence on stderr if adit cannot run here. */
function requireSystem() {
  const problem = systemProblem(process.versions.node);
  if (problem === '') return;
  process.stderr.write(`Error: ${problem}\n`);
  process.exit(1);
}

module.exports = { requireSystem, systemProblem };
