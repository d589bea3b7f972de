// Facts read from a made-up source of Bitcoin Core.
import t from 'tap';
import { coreFacts, coreSeeds } from '../../facts/core-facts.js';

const SOURCE = `
class CMainParams : public CChainParams {
        consensus.nMinimumChainWork = uint256{"00ab"};
        consensus.defaultAssumeValid = uint256{"00cd"}; // 7
        consensus.nPowTargetTimespan = 14 * 24 * 60 * 60; // two weeks
        m_assumed_blockchain_size = 856;
        vSeeds.emplace_back("one.example."); // somebody
        vSeeds.emplace_back("two.example.");
        base58Prefixes[PUBKEY_ADDRESS] = std::vector<unsigned char>(1,0);
        base58Prefixes[EXT_PUBLIC_KEY] = {0x04, 0x88, 0xB2, 0x1E};
        m_assumeutxo_data = {
            {
                .height = 840'000,
                .hash_serialized = AssumeutxoHash{uint256{"${'1'.repeat(64)}"}},
                .m_chain_tx_count = 991,
                .blockhash = uint256{"${'2'.repeat(64)}"},
            },
        };
        chainTxData = ChainTxData{
            // From a call.
            .nTime    = 5,
            .tx_count = 6,
            .dTxRate  = 0.25,
        };
};

class SigNetParams : public CChainParams {
            consensus.nMinimumChainWork = uint256{"00ef"};
            consensus.nMinimumChainWork = uint256{};
};
`;
const SEEDS = `
constexpr uint8_t chainparams_seed_main[] = {
    0x01,0x04,0x08,0x08,
    0x08,0x08,0x20,0x8d,
};
`;

t.test('reads single facts, products, lists and records of one network', async (t) => {
  t.same(coreFacts(SOURCE, 'main'), {
    minimumChainWork: '00ab',
    assumeValid: '00cd',
    powTargetTimespan: '1209600',
    assumedBlocksGb: '856',
    dnsSeeds: 'one.example.\ntwo.example.',
    base58: '0\n0x04, 0x88, 0xB2, 0x1E',
    assumedCoins: `840000 ${'1'.repeat(64)} 991 ${'2'.repeat(64)}`,
    'activity.time': '5',
    'activity.transactions': '6',
    'activity.rate': '0.25',
  });
  t.same(coreFacts(SOURCE, 'signet'), { minimumChainWork: '00ef' }, 'the first of two counts');
  t.throws(() => coreFacts(SOURCE, 'regtest'), { message: 'there is no class CRegTestParams in chainparams.cpp' });
});

t.test('reads the bytes of fixed seeds', async (t) => {
  t.equal(coreSeeds(SEEDS, 'main').toString('hex'), '010408080808208d');
  t.equal(coreSeeds(SEEDS, 'regtest').length, 0);
  t.throws(() => coreSeeds(SEEDS, 'test'), { message: 'there is no array chainparams_seed_test in chainparamsseeds.h' });
});
