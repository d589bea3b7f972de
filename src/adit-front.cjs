#!/usr/bin/env node
// The command adit-front. It checks the version of Node.js before it loads the bundle.
require('./check-system.cjs').requireSystem();
require('./code-cache.cjs').loadBundle(require.resolve('./adit-front.js'));
