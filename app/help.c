#include "command.h"

#include "lab/lab.h"
#include "tell.h"

#include <string.h>

#define WIDTH  100
#define INDENT 26

static void print_option(const option *option)
{
    char head[64];
    char letter[5] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    int length = snprintf(head, sizeof head, "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
                          option->argument ? option->argument : "");
    printf("%s", head);
    if (length >= INDENT) printf("\n%*s", INDENT, "");
    if (length < INDENT) printf("%*s", INDENT - length, "");
    print_wrapped(stdout, option->doc, INDENT, INDENT, WIDTH);
}

void help_usage(const command *command, void (*put)(void *user, const char *word), void *user)
{
    put(user, "drench");
    put(user, command->name);
    for (const option *const *at = command->options; *at; at++) {
        char word[64];
        if ((*at)->letter == 'h') continue;
        bool dashes = (*at)->letter != 'o';
        snprintf(word, sizeof word, dashes ? "[--%s%s%s]%s" : "[-o%.0s%s%s]%s", (*at)->name, (*at)->argument ? " " : "",
                 (*at)->argument ? (*at)->argument : "", (*at)->type == OPTION_REPEATED ? "..." : "");
        put(user, word);
    }
    put(user, command->operands);
}

typedef struct line {
    int column;
} line;

static void put_word(void *user, const char *word)
{
    line *at = user;
    int length = (int)strlen(word);
    if (at->column + 1 + length > WIDTH) {
        printf("\n          ");
        at->column = 10;
    }
    printf(" %s", word);
    at->column += 1 + length;
}

void help_command(const command *command)
{
    line at = {6};
    printf("usage:");
    help_usage(command, put_word, &at);
    printf("\n\n%c%s. ", command->summary[0] - 'a' + 'A', command->summary + 1);
    print_wrapped(stdout, command->text, (int)strlen(command->summary) + 2, 0, WIDTH);
    printf("\n");
    for (const option *const *option = command->options; *option; option++) print_option(*option);
}

void help_program(void)
{
    printf("drench %s: liquid meeting thin things\n\n", dr_version());
    for (const command *at = commands; at->name; at++) {
        char head[64];
        if (at->hidden) continue;
        snprintf(head, sizeof head, "drench %s %s", at->name, at->operands);
        printf("  %-40s %s\n", head, at->summary);
    }
    printf("\n  drench help COMMAND lists its options; drench --version tells the version.\n"
           "  Exit status: 0 done, 1 failed or did not pass, 2 bad usage or bad scene, 130 interrupted.\n");
}

exit_status help_command_run(const settings *settings)
{
    if (settings->operand_count == 0) {
        help_program();
        return EXIT_DONE;
    }
    const command *command = command_find(settings->operands[0]);
    if (!command) {
        tell_problem("there is no command \"%s\"", settings->operands[0]);
        return EXIT_USAGE;
    }
    help_command(command);
    return EXIT_DONE;
}
