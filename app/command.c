#include "command.h"

#include "lab/lab.h"
#include "tell.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// ---- options

#define PLACE(member) offsetof(settings, member)

static const option output_option = {"output",
                                     'o',
                                     OPTION_TEXT,
                                     "DIR",
                                     OFFER_FOLDERS,
                                     PLACE(output),
                                     "the folder for the results; results/ and the scene's name where it is not given"};
static const option keep_option = {"output",
                                   'o',
                                   OPTION_TEXT,
                                   "DIR",
                                   OFFER_FOLDERS,
                                   PLACE(output),
                                   "keep the scenes, frames and statistics of the case in this folder"};
static const option frames_option = {"frames",
                                     0,
                                     OPTION_COUNT,
                                     "N",
                                     OFFER_NOTHING,
                                     PLACE(frames),
                                     "stop N frames after the first, whatever the scene says"};
static const option until_option = {"until",
                                    0,
                                    OPTION_SECONDS,
                                    "SECONDS",
                                    OFFER_NOTHING,
                                    PLACE(until),
                                    "stop at the first output time that is not before this simulated time"};
static const option threads_option = {"threads",
                                      0,
                                      OPTION_COUNT,
                                      "N",
                                      OFFER_NOTHING,
                                      PLACE(threads),
                                      "threads to use; where not given OMP_NUM_THREADS, or as many as the machine has. "
                                      "The results do not depend on it"};
static const option set_option = {"set",
                                  0,
                                  OPTION_REPEATED,
                                  "PATH=VALUE",
                                  OFFER_NOTHING,
                                  PLACE(sets),
                                  "set one value of the scene, as in --set materials.rubber.density=\"1.1 g/cm3\"; "
                                  "may be given several times"};
static const option resolution_option = {
    "resolution",
    0,
    OPTION_FACTOR,
    "FACTOR",
    OFFER_NOTHING,
    PLACE(resolution),
    "so many times as fine as the scene says, as in --resolution 2: smaller cells, edges of cloth and loops of yarn, "
    "more hair by the square; below 1 coarser"};
static const option resume_option = {
    "resume",
    0,
    OPTION_FLAG,
    NULL,
    OFFER_NOTHING,
    PLACE(resume),
    "go on from the folder's checkpoint, with the same bits as if the run had never stopped"};
static const option overwrite_option = {
    "overwrite", 0, OPTION_FLAG, NULL, OFFER_NOTHING, PLACE(overwrite), "throw away the results that the folder holds"};
static const option no_output_option = {
    "no-output", 0, OPTION_FLAG, NULL, OFFER_NOTHING, PLACE(no_output), "write no results at all"};
static const option no_steps_option = {"no-steps",
                                       0,
                                       OPTION_FLAG,
                                       NULL,
                                       OFFER_NOTHING,
                                       PLACE(no_steps),
                                       "make no step: the first one and the time of the run are not told"};
static const option schema_option = {"schema",
                                     0,
                                     OPTION_FLAG,
                                     NULL,
                                     OFFER_NOTHING,
                                     PLACE(schema),
                                     "print a JSON Schema of the whole scene language, for editors"};
static const option quiet_option = {
    "quiet", 'q', OPTION_FLAG, NULL, OFFER_NOTHING, PLACE(quiet), "print nothing but problems"};
static const option json_option = {
    "json", 0, OPTION_FLAG, NULL, OFFER_NOTHING, PLACE(json), "print JSON, one object per line"};
static const option verify_option = {"verify",
                                     0,
                                     OPTION_FLAG,
                                     NULL,
                                     OFFER_NOTHING,
                                     PLACE(verify),
                                     "read every frame and compare its checksum; takes as long as reading them does"};
static const option format_option = {
    "format",
    'f',
    OPTION_TEXT,
    "FORMAT",
    OFFER_FORMATS,
    PLACE(format),
    "what to write: ply, obj, vtk, pc2, mdd, vdb, usda, gltf; without it the formats are "
    "told"};
static const option program_option = {"for",
                                      0,
                                      OPTION_TEXT,
                                      "PROGRAM",
                                      OFFER_PROGRAMS,
                                      PLACE(program),
                                      "units and axes as that program takes them, blender or houdini; the format too "
                                      "where --format is not given"};
static const option files_option = {"output",
                                    'o',
                                    OPTION_TEXT,
                                    "DIR",
                                    OFFER_FOLDERS,
                                    PLACE(output),
                                    "the folder for the files; export in the folder of the results where it is not "
                                    "given"};
static const option range_option = {"frames",
                                    0,
                                    OPTION_TEXT,
                                    "A..B[:STEP]",
                                    OFFER_NOTHING,
                                    PLACE(range),
                                    "only these frames: 12, 10..50, 10..50:5; all where it is not given"};
static const option samples_option = {
    "samples", 0, OPTION_FLAG, NULL, OFFER_NOTHING, PLACE(samples), "the samples between frames too"};
static const option parts_option = {"parts",
                                    0,
                                    OPTION_TEXT,
                                    "NAMES",
                                    OFFER_NOTHING,
                                    PLACE(parts),
                                    "only these parts, as in --parts liquid,strands; \"surface\" is made from the "
                                    "liquid. All parts of the frames that are not empty where it is not given"};
static const option unit_option = {
    "unit",
    0,
    OPTION_TEXT,
    "m|cm|mm",
    OFFER_NOTHING,
    PLACE(unit),
    "the unit of length in the files; cm where it is not given, m for glTF and with --for"};
static const option up_option = {"up",
                                 0,
                                 OPTION_TEXT,
                                 "y|z",
                                 OFFER_NOTHING,
                                 PLACE(up),
                                 "the axis that is up in the files; y where it is not given, or as --for has it"};
static const option cell_option = {"cell",
                                   0,
                                   OPTION_LENGTH,
                                   "CM",
                                   OFFER_NOTHING,
                                   PLACE(cell),
                                   "the cell of the surface; as the scene's look says where it is not given"};
static const option picture_option = {"output",
                                      'o',
                                      OPTION_TEXT,
                                      "FILE",
                                      OFFER_FOLDERS,
                                      PLACE(output),
                                      "a picture (a.png), pictures (a_%04d.png, or a folder) or a movie (a.mp4, .mkv, "
                                      ".mov, .webm, .gif); picture.png in the folder of the results where it is not "
                                      "given"};
static const option pictures_option = {"frames",
                                       0,
                                       OPTION_TEXT,
                                       "A..B[:STEP]",
                                       OFFER_NOTHING,
                                       PLACE(range),
                                       "only these frames: 12, 10..50, 10..50:5. Where it is not given: the last one "
                                       "for a picture, else all"};
static const option size_option = {"size",
                                   0,
                                   OPTION_TEXT,
                                   "WIDTHxHEIGHT",
                                   OFFER_NOTHING,
                                   PLACE(size),
                                   "pixels, as in --size 1920x1080; as the scene's look says where it is not given"};
static const option rays_option = {"samples",
                                   0,
                                   OPTION_COUNT,
                                   "N",
                                   OFFER_NOTHING,
                                   PLACE(rays),
                                   "light paths per pixel: 4 for a quick look, 32 good, 256 without noise"};
static const option preview_option = {
    "preview", 0, OPTION_FLAG, NULL, OFFER_NOTHING, PLACE(preview), "a quick look: as --samples 4"};
static const option camera_option = {"camera",
                                     0,
                                     OPTION_TEXT,
                                     "X,Y,Z[:X,Y,Z]",
                                     OFFER_NOTHING,
                                     PLACE(camera),
                                     "where the eye is and, after the colon, what it looks at, in cm; chosen so that "
                                     "all that happens is in the picture where it is not given"};
static const option look_option = {"look",
                                   0,
                                   OPTION_TEXT,
                                   "SCENE",
                                   OFFER_SCENES,
                                   PLACE(look),
                                   "take the look of this scene file, not the one that the results were made with"};
static const option list_option = {
    "list", 0, OPTION_FLAG, NULL, OFFER_NOTHING, PLACE(list), "list the cases with their parameters"};
static const option all_option = {
    "all", 0, OPTION_FLAG, NULL, OFFER_NOTHING, PLACE(all), "run every case with its defaults"};
static const option port_option = {"port",
                                   0,
                                   OPTION_COUNT,
                                   "N",
                                   OFFER_NOTHING,
                                   PLACE(port),
                                   "the port to serve on; any that is free where it is 0 or not given"};
static const option open_option = {
    "open", 0, OPTION_FLAG, NULL, OFFER_NOTHING, PLACE(open), "open the page in the browser"};
static const option help_option = {"help", 'h', OPTION_FLAG, NULL, OFFER_NOTHING, PLACE(help), "show this help"};

static const option *const run_options[] = {&output_option,
                                            &frames_option,
                                            &until_option,
                                            &threads_option,
                                            &set_option,
                                            &resolution_option,
                                            &resume_option,
                                            &overwrite_option,
                                            &no_output_option,
                                            &quiet_option,
                                            &json_option,
                                            &help_option,
                                            NULL};
static const option *const check_options[] = {
    &set_option, &resolution_option, &no_steps_option, &threads_option, &quiet_option, &help_option, NULL};
static const option *const params_options[] = {&schema_option, &help_option, NULL};
static const option *const export_options[] = {
    &format_option, &program_option, &files_option,   &range_option, &samples_option, &parts_option, &unit_option,
    &up_option,     &cell_option,    &threads_option, &quiet_option, &json_option,    &help_option,  NULL};
static const option *const render_options[] = {
    &picture_option, &pictures_option, &size_option, &rays_option,    &preview_option,
    &camera_option,  &look_option,     &set_option,  &threads_option, &quiet_option,
    &json_option,    &help_option,     NULL};
static const option *const info_options[] = {&verify_option, &json_option, &help_option, NULL};
static const option *const view_options[] = {&port_option, &open_option, &help_option, NULL};
static const option *const validate_options[] = {&list_option,      &all_option,     &keep_option,
                                                 &overwrite_option, &threads_option, &quiet_option,
                                                 &json_option,      &help_option,    NULL};
static const option *const bench_options[] = {&list_option, &all_option,  &threads_option,
                                              &json_option, &help_option, NULL};
static const option *const help_options[] = {&help_option, NULL};

// ---- commands

const command commands[] = {
    {"run", "SCENE", "simulate a scene",
     "Reads and checks the scene, simulates it and fills a result folder: the scene as run, statistics of every step, "
     "frames and a "
     "checkpoint. Ctrl-C ends after the step at hand, with a checkpoint.",
     1, 1, OFFER_SCENES, false, run_options, run_command},
    {"check", "SCENE...", "read, resolve and check everything, tell what it comes to",
     "Tells every problem it finds with file, line and column. Exit status 2 where a scene is bad. Of a good one it "
     "tells particles, vertices and memory, makes a few steps, at most about a second of them, and tells the first "
     "one's size and how long the whole would take at their pace. Nothing is written.",
     1, -1, OFFER_SCENES, false, check_options, check_command},
    {"params", "[PATH]", "every parameter of a scene with unit, default, range and meaning",
     "With a path (\"domain\", \"colliders[].shape\") only those below it; with a word (\"viscosity\", \"radius\") "
     "those whose own name holds it.",
     0, 1, OFFER_NOTHING, false, params_options, params_command},
    {"materials", "[NAME]", "the built-in materials, with sources", "With a name, all its numbers.", 0, 1,
     OFFER_MATERIALS, false, help_options, materials_command},
    {"info", "DIR", "what a result folder holds",
     "Tells of the scene, the frames present, the last step, the checkpoint, and whether a run is writing. A damaged "
     "folder is described "
     "as far as it can be read; exit status 1 then.",
     1, 1, OFFER_FOLDERS, false, info_options, info_command},
    {"render", "DIR", "draw pictures and movies of results",
     "Draws what a result folder holds by following light, as the scene's look says: camera, sun, sky, ground, "
     "colours, "
     "liquid. --set look.camera.azimuth=\"60 deg\" and the like change it. Ctrl-C ends with the pictures that are "
     "done. docs/render.md tells what can be chosen.",
     1, 1, OFFER_FOLDERS, false, render_options, render_command},
    {"export", "DIR", "write results as files that other programs open",
     "Writes the frames of a result folder as PLY, OBJ, VTK, PC2, MDD, OpenVDB, USD or glTF. Every file appears whole "
     "or not at "
     "all; Ctrl-C "
     "ends after the frames at hand. docs/export.md tells what each format holds.",
     1, 1, OFFER_FOLDERS, false, export_options, export_command},
    {"view", "DIR", "look at results in a web page",
     "Serves a page on this machine, and to this machine only, that plays the frames of a result folder, colours them "
     "and plots the "
     "statistics, also while a run is still writing. Prints its address; Ctrl-C ends it.",
     1, 1, OFFER_FOLDERS, false, view_options, view_command},
    {"validate", "[NAME] [KEY=VALUE]...", "run a case with a known answer",
     "Prints what was measured beside what is expected. Exit status 1 where a case does not pass. Cases that move are "
     "ordinary scenes "
     "run through the ordinary step; -o keeps them.",
     0, -1, OFFER_VALIDATIONS, false, validate_options, validate_command},
    {"bench", "[NAME] [KEY=VALUE]...", "measure speed beside what the machine could do",
     "Prints what was measured beside the floor: the time the hardware would need for the same bytes or operations, "
     "measured in the "
     "same run.",
     0, -1, OFFER_BENCHES, false, bench_options, bench_command},
    {"help", "[COMMAND]", "show help", "Shows the commands, or one with all its options.", 0, 1, OFFER_COMMANDS, false,
     help_options, help_command_run},
    {"generate", "man|bash|zsh|fish|scene-reference",
     "print the manual page, a shell's completions or the scene reference",
     "All of them are made from the program's own tables.", 1, 1, OFFER_GENERATED, true, help_options,
     generate_command},
    {0},
};

const command *command_find(const char *name)
{
    for (const command *at = commands; at->name; at++) {
        if (strcmp(at->name, name) == 0) return at;
    }
    return NULL;
}

// ---- parsing

static const option *find_option(const command *command, const char *name, size_t length)
{
    for (const option *const *at = command->options; *at; at++) {
        if (strlen((*at)->name) == length && memcmp((*at)->name, name, length) == 0) return *at;
    }
    return NULL;
}

static const option *find_letter(const command *command, char letter)
{
    for (const option *const *at = command->options; *at; at++) {
        if (letter && (*at)->letter == letter) return *at;
    }
    return NULL;
}

static void refuse_option(const command *command, const char *word, const char *name, size_t length)
{
    const char *names[32];
    char wanted[64];
    int count = 0;
    for (const option *const *at = command->options; *at && count < 31; at++) names[count++] = (*at)->name;
    names[count] = NULL;
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    const char *nearest = dr_lab_nearest(names, wanted);
    tell_problem("%s: there is no option %s", command->name, word);
    if (nearest) tell_hint("did you mean --%s?", nearest);
    tell_hint("`drench help %s` lists the options", command->name);
}

static bool read_count(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno || number < 0 || number > INT32_MAX) return false;
    *value = number;
    return true;
}

static bool read_seconds(const char *text, double *value)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "s") != 0) || !(number >= 0.0) || number > 1e12) return false;
    *value = number;
    return true;
}

static bool read_length(const char *text, double *value)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "cm") != 0) || !(number > 0.0) || number > 1e6) return false;
    *value = number;
    return true;
}

static bool read_factor(const char *text, double *value)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !(number > 0.0) || number > 1e6) return false;
    *value = number;
    return true;
}

static bool store(const command *command, const option *option, const char *value, settings *settings)
{
    void *place = (char *)settings + option->place;
    bool good = true;
    switch (option->type) {
    case OPTION_FLAG:
        *(bool *)place = true;
        break;
    case OPTION_TEXT:
        *(const char **)place = value;
        break;
    case OPTION_COUNT:
        good = read_count(value, place);
        break;
    case OPTION_SECONDS:
        good = read_seconds(value, place);
        break;
    case OPTION_LENGTH:
        good = read_length(value, place);
        break;
    case OPTION_FACTOR:
        good = read_factor(value, place);
        break;
    case OPTION_REPEATED:
        settings->sets[settings->set_count++] = value;
        break;
    }
    if (good) return true;
    tell_problem("%s: --%s is \"%s\"", command->name, option->name, value);
    tell_hint(option->type == OPTION_COUNT    ? "a whole number was expected, 0 or more"
              : option->type == OPTION_LENGTH ? "a number of centimetres was expected, above 0"
              : option->type == OPTION_FACTOR ? "a number above 0 was expected, as in 2 or 0.5"
                                              : "a number of seconds was expected, 0 or more");
    return false;
}

typedef struct reader {
    const command *command;
    char **words;
    int count, at;
    settings *settings;
} reader;

// value: what is attached to the option's own word, NULL where nothing is.
static bool take_option(reader *in, const option *option, const char *value)
{
    if (option->type == OPTION_FLAG && value) {
        tell_problem("%s: --%s takes no value", in->command->name, option->name);
        return false;
    }
    if (option->type != OPTION_FLAG && !value) {
        if (in->at >= in->count) {
            tell_problem("%s: --%s needs %s", in->command->name, option->name, option->argument);
            return false;
        }
        value = in->words[in->at++];
    }
    return store(in->command, option, value, in->settings);
}

static bool take_long(reader *in, const char *word)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const option *option = find_option(in->command, name, length);
    if (option) return take_option(in, option, equals ? equals + 1 : NULL);
    refuse_option(in->command, word, name, length);
    return false;
}

static bool take_letters(reader *in, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const option *option = find_letter(in->command, *letter);
        if (!option) {
            refuse_option(in->command, word, word + 1, strlen(word + 1));
            return false;
        }
        bool last = option->type != OPTION_FLAG;
        if (!take_option(in, option, last && letter[1] ? letter + 1 : NULL)) return false;
        if (last) break;
    }
    return true;
}

static bool check_operands(const command *command, const settings *settings)
{
    if (settings->help) return true;
    if (settings->operand_count < command->least) {
        tell_problem("%s: %s is missing", command->name, command->operands);
    } else if (command->most >= 0 && settings->operand_count > command->most) {
        tell_problem("%s: \"%s\" is too much", command->name, settings->operands[command->most]);
    } else {
        return true;
    }
    tell_hint("`drench help %s` shows how it is used", command->name);
    return false;
}

bool command_parse(const command *command, char **words, int count, settings *settings)
{
    reader in = {command, words, count, 0, settings};
    bool plain = false; // after "--" everything is an operand
    while (in.at < in.count) {
        const char *word = in.words[in.at++];
        bool good = true;
        if (!plain && strcmp(word, "--") == 0) {
            plain = true;
        } else if (!plain && word[0] == '-' && word[1] == '-') {
            good = take_long(&in, word);
        } else if (!plain && word[0] == '-' && word[1]) {
            good = take_letters(&in, word);
        } else {
            settings->operands[settings->operand_count++] = word;
        }
        if (!good) return false;
    }
    return check_operands(command, settings);
}
