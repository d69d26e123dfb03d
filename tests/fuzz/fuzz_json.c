// The reader of run.json, report.json and stats.jsonl: any bytes are JSON or are not; values are found without harm.
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void visit(dr_json_value value, int depth)
{
    char text[16];
    uint64_t hash;
    dr_json_value cursor = {NULL, 0};
    dr_json_as_number(value, 0.0);
    dr_json_as_bool(value, false);
    dr_json_as_text(value, text, sizeof text);
    dr_json_as_hash(value, &hash);
    if (depth > 8) return;
    for (dr_json_value item; (item = dr_json_next(value, &cursor)).data;) visit(item, depth + 1);
    dr_json_value member = dr_json_member(value, "a");
    if (member.data) visit(member, depth + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    visit(dr_json_parse((const char *)data, size), 0);
    return 0;
}
