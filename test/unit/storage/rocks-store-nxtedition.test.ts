// RocksStore over the binding nxtedition-rocksdb.

import { folderSuite } from './folder-suite.js';

folderSuite('nxtedition-rocksdb', 'level-rocksdb');
