/* simdjson_fields: what ev2ledger takes from each line of an event log, by the on-demand parser of simdjson.
 *
 *     simdjson_fields FILE
 *
 * One thread.  Texts are decoded but neither hashed nor joined, and no rows are written: less than ev2ledger does.  Prints
 * the number of events, a sum of their stamps and of the lengths of their texts. */
#include <cstdint>
#include <cstdio>
#include <string_view>

#include <simdjson.h>

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

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    try {
        totals t = {};
        padded_string log = padded_string::load(argv[1]);
        ondemand::parser parser;
#ifdef SIMDJSON_THREADS_ENABLED
        parser.threaded = false;
#endif
        ondemand::document_stream lines = parser.iterate_many(log, 1 << 20);
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
