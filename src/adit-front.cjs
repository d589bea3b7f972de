#!/usr/bin/env node
// The command adit-front. This is no ES module: such a module's imports are resolved before its first line runs.
require('./check-system.cjs').requireSystem();
import('./adit-front.js');
