#!/usr/bin/env node
// The command aditd. This is no ES module: such a module's imports are resolved before its first line runs.
require('./check-system.cjs').requireSystem();
// Number of libuv's threads, which read coins and files. libuv reads the variable when it first needs a thread, which
// is when Node.js loads the first ES module.
if (process.env.UV_THREADPOOL_SIZE === undefined) process.env.UV_THREADPOOL_SIZE = '16';
import('./aditd.js');
