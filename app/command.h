// The program's one table of commands and options: parsing, help, the manual page and the completions all read it.
#ifndef DRENCH_APP_COMMAND_H
#define DRENCH_APP_COMMAND_H

#include "drench/drench.h"

typedef enum exit_status { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 } exit_status;

// What was asked for. Options not given keep the values of settings_default.
typedef struct settings {
    const char *output;
    int64_t frames; // -1: not given
    int64_t threads;
    int64_t port;
    double until; // -1: not given
    const char *format, *program, *range, *parts, *unit, *up;
    double cell; // -1: not given
    double resolution;
    bool samples;
    const char *size, *camera, *look; // of pictures
    int64_t rays;                     // per pixel, 0: not given
    bool preview;
    bool resume, overwrite, no_output, no_steps, quiet, json, list, all, open, verify, schema, help;
    const char **sets;
    int set_count;
    const char **operands;
    int operand_count;
    char **words; // the whole command line
    int word_count;
} settings;

typedef enum option_type {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_COUNT,
    OPTION_SECONDS,
    OPTION_LENGTH,
    OPTION_FACTOR,
    OPTION_REPEATED
} option_type;

// What a shell may offer in a place.
typedef enum offer {
    OFFER_NOTHING,
    OFFER_SCENES,
    OFFER_FOLDERS,
    OFFER_VALIDATIONS,
    OFFER_BENCHES,
    OFFER_MATERIALS,
    OFFER_COMMANDS,
    OFFER_FORMATS,
    OFFER_PROGRAMS,
    OFFER_GENERATED
} offer;

typedef struct option {
    const char *name; // without dashes
    char letter;      // 0: none
    option_type type;
    const char *argument; // NULL for flags
    offer offer;          // of the argument
    size_t place;         // offset in settings
    const char *doc;
} option;

typedef struct command {
    const char *name, *operands, *summary, *text;
    int least, most; // operands; most -1: any number
    offer offer;     // of the operands
    bool hidden;
    const option *const *options; // ends with NULL
    exit_status (*run)(const settings *settings);
} command;

extern const command commands[]; // ends with a row without a name

const command *command_find(const char *name);

// Reads everything after the command's name. False after telling what is wrong.
bool command_parse(const command *command, char **words, int count, settings *settings);

void help_program(void);
void help_command(const command *command);
void help_usage(const command *command, void (*put)(void *user, const char *word), void *user); // one call per word

// The commands.
exit_status run_command(const settings *settings);
exit_status check_command(const settings *settings);
exit_status params_command(const settings *settings);
exit_status materials_command(const settings *settings);
exit_status export_command(const settings *settings);
exit_status render_command(const settings *settings);
exit_status info_command(const settings *settings);
exit_status view_command(const settings *settings);
exit_status validate_command(const settings *settings);
exit_status bench_command(const settings *settings);
exit_status help_command_run(const settings *settings);
exit_status generate_command(const settings *settings);

#endif
