#!/usr/bin/env node
// The command aditd. This is no ES module: such a module's imports are resolved before its first line runs.
require('./check-system.cjs').requireSystem(true);
// libuv reads how many threads it has when the first of them is needed, which Node's loader of ES modules does. They
// read coins and files.
if (process.env.UV_THREADPOOL_SIZE === undefined) process.env.UV_THREADPOOL_SIZE = '16';
import('./aditd.js');
