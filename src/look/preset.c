// A table. Lengths between scatterings of milk and cream are those of Jensen, Marschner, Levoy and Hanrahan 2001
// (reduced scattering, their table 1), of the others chosen by eye.
#include "look/preset.h"

#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const dr_preset presets[] = {
    {"water", true, {0.42, 0.76, 0.84}, 0.0, 1.333, 0.0, 0.0},
    {"tetrachloroethylene", true, {0.85, 0.90, 0.90}, 0.0, 1.505, 0.0, 0.0},
    {"acetaldehyde", true, {0.90, 0.92, 0.90}, 0.0, 1.33, 0.0, 0.0},
    {"olive oil", true, {0.80, 0.72, 0.16}, 1.5, 1.47, 0.0, 0.0},
    {"light oil", true, {0.93, 0.83, 0.40}, 2.0, 1.46, 0.0, 0.0},
    {"honey", true, {0.98, 0.86, 0.42}, 1.0, 1.50, 0.0, 0.0},
    {"milk", false, {0.96, 0.945, 0.88}, 0.0, 1.35, 0.03, 0.1},
    {"milk cream", false, {0.97, 0.95, 0.88}, 0.0, 1.35, 0.02, 0.2},
    {"shaving cream", false, {0.96, 0.96, 0.955}, 0.0, 1.35, 0.03, 0.5},
    {"acrylic paint", false, {0.16, 0.36, 0.72}, 0.0, 1.5, 0.004, 0.12},
    {"milk chocolate", false, {0.36, 0.20, 0.12}, 0.0, 1.5, 0.01, 0.2},
    {"oyster sauce", false, {0.22, 0.10, 0.045}, 0.0, 1.45, 0.05, 0.1},
    {"drilling mud", false, {0.42, 0.35, 0.27}, 0.0, 1.4, 0.004, 0.3},
    {"mud", false, {0.40, 0.30, 0.20}, 0.0, 1.4, 0.004, 0.3},
};

// Words that stand for one of them: "hot chocolate".
static const struct {
    const char *word, *preset;
} words[] = {
    [DR_LIKE_AUTO] = {"liquid", "water"},
    [DR_LIKE_CREAM] = {"cream", "milk cream"},
    [DR_LIKE_CHOCOLATE] = {"chocolate", "milk chocolate"},
    [DR_LIKE_PAINT] = {"paint", "acrylic paint"},
    [DR_LIKE_SAUCE] = {"sauce", "oyster sauce"},
    [DR_LIKE_MUD] = {"mud", "mud"},
    [DR_LIKE_MILK] = {"milk", "milk"},
    [DR_LIKE_HONEY] = {"honey", "honey"},
    [DR_LIKE_OIL] = {"oil", "olive oil"},
    [DR_LIKE_WATER] = {"water", "water"},
};

static const dr_preset *find_exact(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT(presets); i++) {
        if (strlen(presets[i].name) == length && memcmp(presets[i].name, name, length) == 0) return &presets[i];
    }
    return NULL;
}

static const dr_preset *find_word(const char *word, size_t length)
{
    for (size_t i = DR_LIKE_AUTO + 1; i < COUNT(words); i++) {
        if (strlen(words[i].word) == length && memcmp(words[i].word, word, length) == 0)
            return find_exact(words[i].preset, strlen(words[i].preset));
    }
    return NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const dr_preset *find_by_words(const char *name)
{
    const dr_preset *found = NULL;
    for (size_t end = strlen(name); end > 0 && !found;) {
        size_t begin = end;
        while (begin > 0 && is_letter(name[begin - 1])) begin--;
        found = find_word(name + begin, end - begin);
        end = begin < end ? begin : end - 1;
    }
    return found;
}

const dr_preset *dr_preset_like(dr_like like)
{
    return find_exact(words[like].preset, strlen(words[like].preset));
}

// A name says what kind of liquid it is, what it is made from says which of that kind: "cream" of shaving cream.
const dr_preset *dr_preset_of_material(const dr_scene *scene, const char *material)
{
    const dr_preset *named = material ? find_by_words(material) : NULL;
    for (int depth = 0; material && *material && depth < 8; depth++) {
        const dr_preset *found = find_exact(material, strlen(material));
        if (found && (depth == 0 || !named || find_by_words(found->name) == named)) return found;
        const dr_material_spec *spec = dr_scene_material(scene, material);
        bool made = spec && spec->preset && *spec->preset && strcmp(spec->preset, material) != 0;
        material = made ? spec->preset : NULL;
    }
    return named ? named : &presets[0];
}
