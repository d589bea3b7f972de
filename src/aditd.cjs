#!/usr/bin/env node
// The command aditd: libuv reads how many threads it has when the first of them is needed, and they read coins and
// files. This is no ES module, because Node reads those with these threads.
process.env.UV_THREADPOOL_SIZE ??= '16';
import('./aditd.js');
