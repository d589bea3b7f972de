#!/usr/bin/env node
// The command aditd. It checks the version of Node.js before it loads the bundle.
require('./check-system.cjs').requireSystem();
// Number of libuv's threads, which read coins and files. libuv reads the variable when it first needs a thread.
if (process.env.UV_THREADPOOL_SIZE === undefined) process.env.UV_THREADPOOL_SIZE = '16';
require('./code-cache.cjs').loadBundle(require.resolve('./aditd.js'));
