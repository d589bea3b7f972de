#!/usr/bin/env node
// The command adit-cli. It checks the version of Node.js before it loads the bundle.
require('./check-system.cjs').requireSystem();
require('./adit-cli.js');
