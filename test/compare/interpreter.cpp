// Bitcoin Core's script interpreter as a filter: batches of spends on stdin, its verdicts on stdout. Built by
// core-interpreter.ts against the libraries of a Core source tree, 0.21 or later. Numbers are little-endian.
//
//   first answer   u32 bytes, then the texts of its errors by their codes, a line each
//   batch          u32 bytes, then spends
//   spend          u32 bytes, transaction; u32 input; for each input: i64 satoshi, u32 bytes, script of the coin;
//                  u32 count, u32 flags...
//   answer         u32 bytes, then for each flags of each spend: u8 error code
#include <crypto/sha256.h>
#include <primitives/transaction.h>
#include <pubkey.h>
#include <script/interpreter.h>
#include <script/script_error.h>
#include <streams.h>

#if __has_include(<script/verify_flags.h>)
#define LATER 1
#else
#define LATER 0
#include <version.h>
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

[[noreturn]] void fail(const char* why)
{
    std::fprintf(stderr, "%s\n", why);
    std::exit(2);
}

class Reader
{
    const Bytes& m_bytes;
    size_t m_at = 0;

    const unsigned char* take(size_t size)
    {
        if (m_bytes.size() - m_at < size) fail("a batch is cut short");
        const unsigned char* at = m_bytes.data() + m_at;
        m_at += size;
        return at;
    }

public:
    explicit Reader(const Bytes& bytes) : m_bytes(bytes) {}
    bool over() const { return m_at == m_bytes.size(); }
    uint32_t u32()
    {
        uint32_t value;
        std::memcpy(&value, take(sizeof value), sizeof value);
        return value;
    }
    int64_t i64()
    {
        int64_t value;
        std::memcpy(&value, take(sizeof value), sizeof value);
        return value;
    }
    Bytes bytes()
    {
        const size_t size = u32();
        const unsigned char* from = take(size);
        return Bytes(from, from + size);
    }
};

CTransaction parsed(const Bytes& bytes)
{
#if LATER
    SpanReader stream{bytes};
    return CTransaction(deserialize, TX_WITH_WITNESS, stream);
#else
    VectorReader stream(SER_NETWORK, PROTOCOL_VERSION, bytes, 0);
    return CTransaction(deserialize, stream);
#endif
}

/** Looks at each signature once, though a spend is judged by several flags and others differ from it in little. */
class Checker : public TransactionSignatureChecker
{
    template <typename Sig, typename Key, typename Check>
    static bool once(char kind, const Sig& sig, const Key& key, const uint256& hash, Check check)
    {
        static std::unordered_map<std::string, bool> known;
        std::string all(1, kind);
        all.append(sig.begin(), sig.end()).append(key.begin(), key.end()).append(hash.begin(), hash.end());
        const auto found = known.find(all);
        if (found != known.end()) return found->second;
        if (known.size() > 10'000) known.clear();
        return known[all] = check();
    }

#if LATER
    using SigBytes = std::span<const unsigned char>;
#else
    using SigBytes = Span<const unsigned char>;
#endif

protected:
    bool VerifyECDSASignature(const Bytes& sig, const CPubKey& key, const uint256& hash) const override
    {
        return once('e', sig, key, hash, [&] { return TransactionSignatureChecker::VerifyECDSASignature(sig, key, hash); });
    }
    bool VerifySchnorrSignature(SigBytes sig, const XOnlyPubKey& key, const uint256& hash) const override
    {
        const Bytes keyBytes(&key[0], &key[0] + 32);
        return once('s', sig, keyBytes, hash, [&] { return TransactionSignatureChecker::VerifySchnorrSignature(sig, key, hash); });
    }

public:
    using TransactionSignatureChecker::TransactionSignatureChecker;
};

void judge(Reader& in, Bytes& out)
{
    const CTransaction tx = parsed(in.bytes());
    const uint32_t input = in.u32();
    std::vector<CTxOut> spent;
    for (size_t i = 0; i < tx.vin.size(); i++) {
        const CAmount value = in.i64();
        const Bytes script = in.bytes();
        spent.emplace_back(value, CScript(script.begin(), script.end()));
    }
    const CTxOut coin = spent.at(input);
    PrecomputedTransactionData data;
    data.Init(tx, std::move(spent));
    for (uint32_t left = in.u32(); left > 0; left--) {
        ScriptError error = SCRIPT_ERR_UNKNOWN_ERROR;
        const CTxIn& spending = tx.vin.at(input);
#if LATER
        const auto flags = script_verify_flags::from_int(in.u32());
        const Checker checker(&tx, input, coin.nValue, data, MissingDataBehavior::ASSERT_FAIL);
#else
        const unsigned int flags = in.u32();
        const Checker checker(&tx, input, coin.nValue, data);
#endif
        const bool valid = VerifyScript(spending.scriptSig, coin.scriptPubKey, &spending.scriptWitness, flags, checker, &error);
        if (valid != (error == SCRIPT_ERR_OK)) fail("a verdict and its error do not agree");
        out.push_back(static_cast<unsigned char>(error));
    }
}

void answer(const Bytes& bytes)
{
    const uint32_t size = bytes.size();
    if (std::fwrite(&size, sizeof size, 1, stdout) != 1 || std::fwrite(bytes.data(), 1, size, stdout) != size) fail("stdout is closed");
    std::fflush(stdout);
}

} // namespace

int main()
{
    SHA256AutoDetect();
#if !LATER
    const ECCVerifyHandle handle;
#endif
    std::string texts;
    for (int code = 0; code < SCRIPT_ERR_ERROR_COUNT; code++) texts += ScriptErrorString(static_cast<ScriptError>(code)) + "\n";
    answer(Bytes(texts.begin(), texts.end()));
    Bytes batch, verdicts;
    for (uint32_t size = 0; std::fread(&size, sizeof size, 1, stdin) == 1;) {
        batch.resize(size);
        if (std::fread(batch.data(), 1, size, stdin) != size) fail("stdin ends within a batch");
        verdicts.clear();
        for (Reader in(batch); !in.over();) judge(in, verdicts);
        answer(verdicts);
    }
}
