// RocksStore over the binding level-rocksdb.

import { folderSuite } from './folder-suite.js';

folderSuite('level-rocksdb', 'nxtedition-rocksdb');
