/* simdjson_fields: what ev2ledger takes from each line of an event log, by the on-demand parser of simdjson.
 *
 *     simdjson_fields FILE
 *
 * One thread.  Texts are decoded but neither hashed nor joined, and no rows are written: less than ev2ledger does.  Prints
 * the number of events, a sum of their stamps and of the lengths of their texts. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <simdjson.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace simdjson;

struct totals {
    uint64_t events, stamps, ids, texts;
};

static void take_data(ondemand::value data, totals &t) {
    if (data.type() != ondemand::json_type::array) return;
    for (ondemand::value item : data.get_array()) {
        switch (item.type()) {
        case ondemand::json_type::string: t.texts += std::string_view(item).size(); break;
        case ondemand::json_type::array:
            for (ondemand::value part : item.get_array())
                if (part.type() == ondemand::json_type::string) t.texts += std::string_view(part).size();
            break;
        default: break;
        }
    }
}

static void take_event(ondemand::object event, totals &t) {
    for (auto field : event) {
        std::string_view key = field.unescaped_key();
        ondemand::value v = field.value();
        if (key == "timestamp_ns")
            t.stamps += uint64_t(int64_t(v));
        else if (key == "event_type")
            t.events += std::string_view(v).size() > 0;
        else if (key == "sample_uuid" || key == "conversation_id")
            t.ids += std::string_view(v).size();
        else if (key == "data")
            take_data(v, t);
    }
}

/* The whole file, with padding, in huge pages where there are any: it is not to wait for its memory. */
static padded_string_view load(const char *path) {
    const size_t huge = 2 << 20;
    struct stat st;
    int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &st) != 0) throw simdjson_error(IO_ERROR);
    size_t n = size_t(st.st_size), room = (n + SIMDJSON_PADDING + huge - 1) / huge * huge, at = 0;
    char *s = static_cast<char *>(aligned_alloc(huge, room));
    if (!s) throw simdjson_error(MEMALLOC);
    madvise(s, room, MADV_HUGEPAGE);
    for (ssize_t got; at < n && (got = read(fd, s + at, n - at < huge ? n - at : huge)) > 0;)
        at += size_t(got);
    close(fd);
    return padded_string_view(s, at, room);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    try {
        totals t = {};
        padded_string_view log = load(argv[1]);
        ondemand::parser parser;
#ifdef SIMDJSON_THREADS_ENABLED
        parser.threaded = false;
#endif
        ondemand::document_stream lines = parser.iterate_many(log.data(), log.size(), 1 << 20);
        for (auto line : lines)
            take_event(line.get_object(), t);
        std::printf("%llu %llu %llu %llu\n", (unsigned long long)t.events, (unsigned long long)t.stamps,
                    (unsigned long long)t.ids, (unsigned long long)t.texts);
        return 0;
    } catch (const simdjson_error &e) {
        std::fprintf(stderr, "simdjson_fields: %s: %s\n", argv[1], e.what());
        return 2;
    }
}
