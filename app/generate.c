// The manual page and the completions of bash, zsh and fish, from the table of commands; the scene reference is in
// reference.c.
#include "command.h"

#include "lab/lab.h"
#include "reference.h"
#include "tell.h"

#include <string.h>

// ---- manual page

#define ROFF_WIDTH 78

// One word, dashes and backslashes as roff wants them. Returns the columns it takes.
static int put_roff_word(const char *word, int length)
{
    int column = 0;
    for (int i = 0; i < length; i++) {
        if (word[i] == '-') column += printf("\\-");
        if (word[i] == '\\') column += printf("\\e");
        if (word[i] != '-' && word[i] != '\\') column += printf("%c", word[i]);
    }
    return column;
}

// Text in lines that fit; a line may not begin with a dot or a quote, which would make it a request.
static void put_roff(const char *text)
{
    int column = 0;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column && column + length + 8 > ROFF_WIDTH) {
            putchar('\n');
            column = 0;
        } else if (column) {
            column += printf(" ");
        }
        if (column == 0 && (*text == '.' || *text == '\'')) column += printf("\\&");
        column += put_roff_word(text, length);
        text += length;
        text += strspn(text, " ");
    }
}

static void put_bold(const char *text)
{
    printf("\\fB");
    put_roff(text);
    printf("\\fR");
}

static void put_usage_word(void *user, const char *word)
{
    int *at = user;
    if (*at) putchar(' ');
    if (*at < 2) {
        put_bold(word);
    } else {
        put_roff(word);
    }
    ++*at;
}

static void put_man_options(const command *command)
{
    for (const option *const *at = command->options; *at; at++) {
        if ((*at)->letter == 'h') continue;
        printf(".TP\n");
        if ((*at)->letter) {
            char letter[] = {'-', (*at)->letter, 0};
            put_bold(letter);
            printf(", ");
        }
        printf("\\fB\\-\\-");
        put_roff((*at)->name);
        printf("\\fR");
        if ((*at)->argument) printf(" \\fI%s\\fR", (*at)->argument);
        printf("\n");
        put_roff((*at)->doc);
        printf(".\n");
    }
}

static void put_man_command(const command *command)
{
    int words = 0;
    printf(".SS %s\n", command->name);
    help_usage(command, put_usage_word, &words);
    printf("\n.PP\n%c", command->summary[0] - 'a' + 'A');
    put_roff(command->summary + 1);
    printf(".\n");
    put_roff(command->text);
    printf("\n");
    put_man_options(command);
}

static const char man_end[] =
    ".SH FILES\n"
    "A result folder holds\n"
    ".TP\n\\fBscene.yaml\\fR\nthe scene as run, every value written out\n"
    ".TP\n\\fBrun.json\\fR\nversion, scene hash, seed, and how it was called\n"
    ".TP\n\\fBstats.jsonl\\fR\none line of JSON per step\n"
    ".TP\n\\fBframes/\\fR\nthe state at every output time, one HDF5 file each\n"
    ".TP\n\\fBcheckpoint.h5\\fR, \\fBcheckpoint.old.h5\\fR\nthe last two states from which a run can go on\n"
    ".TP\n\\fBreport.json\\fR\nthe sum of it, at the end\n"
    ".SH EXIT STATUS\n"
    ".TP\n\\fB0\\fR\ndone\n"
    ".TP\n\\fB1\\fR\nthe run failed (numerics, disk, memory, a folder in use),\nor a validation did not pass\n"
    ".TP\n\\fB2\\fR\nbad usage or a bad scene\n"
    ".TP\n\\fB130\\fR\ninterrupted; the checkpoint is written\n"
    ".SH SIGNALS\n"
    "SIGINT, SIGTERM and SIGHUP end a run after the step at hand, with a\ncheckpoint; a second one ends it at once.\n"
    ".SH EXAMPLES\n"
    ".nf\n"
    "drench check scenes/first/jelly.yaml\n"
    "drench run scenes/first/jelly.yaml \\-o results/jelly\n"
    "drench run scenes/first/jelly.yaml \\-o results/jelly \\-\\-resume\n"
    "drench info results/jelly\n"
    ".fi\n";

static void put_man(void)
{
    printf(".TH DRENCH 1 2026-11-15 \"drench %s\"\n.SH NAME\ndrench \\- simulate liquid meeting thin things\n.SH "
           "SYNOPSIS\n",
           dr_version());
    printf("\\fBdrench\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n.br\n\\fBdrench\\fR \\fB\\-\\-version\\fR\n.br\n"
           "\\fBdrench\\fR \\fB\\-\\-help\\fR\n");
    printf(".SH DESCRIPTION\ndrench simulates liquid meeting thin things: hair, cloth, yarn.\n"
           "A scene is a YAML or JSON file; \\fBdrench params\\fR lists what it may say.\n.SH COMMANDS\n");
    for (const command *at = commands; at->name; at++) {
        if (!at->hidden) put_man_command(at);
    }
    fputs(man_end, stdout);
}

// ---- what shells may offer

static void put_cases(const dr_lab_case *const *(*list)(int *count))
{
    int count;
    const dr_lab_case *const *cases = list(&count);
    for (int i = 0; i < count; i++) printf("%s%s", i ? " " : "", cases[i]->name);
}

// A word of a list, spaces inside it escaped.
static void put_word(const char *word, bool first)
{
    if (!first) putchar(' ');
    for (; *word; word++) {
        if (*word == ' ') putchar('\\');
        putchar(*word);
    }
}

// Words that are known beforehand; nothing for files and folders.
static void put_words(offer offer)
{
    if (offer == OFFER_VALIDATIONS) put_cases(dr_lab_validations);
    if (offer == OFFER_BENCHES) put_cases(dr_lab_benches);
    for (int i = 0; offer == OFFER_FORMATS && dr_export_format_name(i); i++) {
        printf("%s%s", i ? " " : "", dr_export_format_name(i));
    }
    for (int i = 0; offer == OFFER_PROGRAMS && dr_export_program_name(i); i++) {
        printf("%s%s", i ? " " : "", dr_export_program_name(i));
    }
    if (offer == OFFER_GENERATED) printf("man bash zsh fish scene-reference");
    for (int i = 0; offer == OFFER_MATERIALS && i < dr_material_count(); i++) {
        put_word(dr_material_at(i)->name, i == 0);
    }
    for (const command *at = commands; offer == OFFER_COMMANDS && at->name; at++) {
        if (!at->hidden) printf("%s%s", at > commands ? " " : "", at->name);
    }
}

// ---- bash

static void put_bash_offer(offer offer)
{
    switch (offer) {
    case OFFER_NOTHING:
        printf("COMPREPLY=()");
        break;
    case OFFER_SCENES:
        printf("_drench_files");
        break;
    case OFFER_FOLDERS:
        printf("mapfile -t COMPREPLY < <(compgen -d -- \"$word\")");
        break;
    default:
        printf("mapfile -t COMPREPLY < <(compgen -W '");
        put_words(offer);
        printf("' -- \"$word\")");
        break;
    }
}

static void put_bash_command(const command *command)
{
    printf("    %s)\n        case $before in\n", command->name);
    for (const option *const *at = command->options; *at; at++) {
        if ((*at)->type == OPTION_FLAG) continue;
        printf("        --%s", (*at)->name);
        if ((*at)->letter) printf("|-%c", (*at)->letter);
        printf(") ");
        put_bash_offer((*at)->offer);
        printf("; return ;;\n");
    }
    printf("        esac\n        if [[ $word == -* ]]; then\n            COMPREPLY=($(compgen -W \"");
    for (const option *const *at = command->options; *at; at++) {
        if ((*at)->letter) printf("-%c ", (*at)->letter);
        printf("--%s ", (*at)->name);
    }
    printf("\" -- \"$word\"))\n        else\n            ");
    put_bash_offer(command->offer);
    printf("\n        fi ;;\n");
}

static void put_bash(void)
{
    printf("# bash completion for drench\n"
           "_drench_files()\n{\n"
           "    mapfile -t COMPREPLY < <(compgen -f -X '!*.yaml' -- \"$word\"; compgen -f -X '!*.yml' -- \"$word\";\n"
           "        compgen -f -X '!*.json' -- \"$word\"; compgen -d -- \"$word\")\n}\n\n"
           "_drench()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W \"");
    put_words(OFFER_COMMANDS);
    printf(" --help --version\" -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (const command *at = commands; at->name; at++) put_bash_command(at);
    printf("    esac\n}\ncomplete -o filenames -F _drench drench\n");
}

// ---- zsh

// Inside single quotes, where brackets and colons have a meaning.
static void put_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            printf("'\\''");
            continue;
        }
        if (strchr("[]:\\", *text)) putchar('\\');
        putchar(*text);
    }
}

static void put_zsh_offer(offer offer)
{
    switch (offer) {
    case OFFER_NOTHING:
        printf(" ");
        break;
    case OFFER_SCENES:
        printf("_files -g \"*.(yaml|yml|json)\"");
        break;
    case OFFER_FOLDERS:
        printf("_files -/");
        break;
    default:
        printf("(");
        put_words(offer);
        printf(")");
        break;
    }
}

static void put_zsh_option(const option *option)
{
    for (int dashes = option->letter ? 1 : 2; dashes <= 2; dashes++) {
        printf(" \\\n            '%s", option->type == OPTION_REPEATED ? "*" : "");
        if (dashes == 1) printf("-%c", option->letter);
        if (dashes == 2) printf("--%s", option->name);
        printf("[");
        put_zsh_text(option->doc);
        printf("]");
        if (option->argument) {
            printf(":%s:", option->argument);
            put_zsh_offer(option->offer);
        }
        printf("'");
    }
}

static void put_zsh_command(const command *command)
{
    printf("    %s)\n        _arguments", command->name);
    for (const option *const *at = command->options; *at; at++) put_zsh_option(*at);
    if (command->offer != OFFER_NOTHING) {
        printf(" \\\n            '%s:operand:", command->most == 1 ? "1" : "*");
        put_zsh_offer(command->offer);
        printf("'");
    }
    printf(" ;;\n");
}

static void put_zsh(void)
{
    printf("#compdef drench\n\n_drench()\n{\n    local -a names\n    names=(\n");
    for (const command *at = commands; at->name; at++) {
        if (at->hidden) continue;
        printf("        '%s:", at->name);
        put_zsh_text(at->summary);
        printf("'\n");
    }
    printf("    )\n    if ((CURRENT == 2)); then\n        _describe command names\n        return\n    fi\n"
           "    local name=$words[2]\n    shift words\n    ((CURRENT--))\n    case $name in\n");
    for (const command *at = commands; at->name; at++) put_zsh_command(at);
    printf("    esac\n}\n\n_drench \"$@\"\n");
}

// ---- fish

static void put_fish_text(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void put_fish_offer(offer offer)
{
    switch (offer) {
    case OFFER_NOTHING:
        break;
    case OFFER_SCENES:
        printf(" -F");
        break;
    case OFFER_FOLDERS:
        printf(" -a '(__fish_complete_directories)'");
        break;
    default:
        printf(" -a '");
        put_words(offer);
        printf("'");
        break;
    }
}

static void put_fish_option(const command *command, const option *option)
{
    printf("complete -c drench -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
    if (option->letter) printf(" -s %c", option->letter);
    if (option->argument) {
        printf(" -x");
        put_fish_offer(option->offer);
    }
    printf(" -d ");
    put_fish_text(option->doc);
    printf("\n");
}

static void put_fish(void)
{
    printf("# fish completion for drench\ncomplete -c drench -f\n");
    for (const command *at = commands; at->name; at++) {
        if (!at->hidden) {
            printf("complete -c drench -n __fish_use_subcommand -a %s -d ", at->name);
            put_fish_text(at->summary);
            printf("\n");
        }
        for (const option *const *option = at->options; *option; option++) put_fish_option(at, *option);
        if (at->offer == OFFER_NOTHING) continue;
        printf("complete -c drench -n '__fish_seen_subcommand_from %s'", at->name);
        put_fish_offer(at->offer);
        printf("\n");
    }
}

exit_status generate_command(const settings *settings)
{
    static const struct {
        const char *name;
        void (*put)(void);
    } kinds[] = {
        {"man", put_man}, {"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}, {"scene-reference", put_reference}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(settings->operands[0], kinds[i].name) != 0) continue;
        kinds[i].put();
        return EXIT_DONE;
    }
    tell_problem("generate: \"%s\" cannot be generated", settings->operands[0]);
    tell_hint("man, bash, zsh, fish and scene-reference can");
    return EXIT_USAGE;
}
