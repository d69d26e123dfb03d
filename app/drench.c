// drench: the program. Finds the command, reads its options, runs it.
#include "command.h"

#include "lab/lab.h"
#include "tell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static exit_status refuse_command(const char *word)
{
    const char *names[32];
    int count = 0;
    for (const command *at = commands; at->name && count < 31; at++) {
        if (!at->hidden) names[count++] = at->name;
    }
    names[count] = NULL;
    const char *nearest = dr_lab_nearest(names, word);
    tell_problem(word[0] == '-' ? "there is no option %s" : "there is no command \"%s\"", word);
    if (nearest) tell_hint("did you mean \"%s\"?", nearest);
    tell_hint("`drench --help` lists the commands");
    return EXIT_USAGE;
}

static void print_version(void)
{
    printf("drench %s\n", dr_version());
    for (const char *line = dr_version_features(); *line;) {
        int length = (int)strcspn(line, "\n");
        printf("  %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
}

static exit_status perform(const command *command, char **words, int count)
{
    settings settings = {.frames = -1, .until = -1.0, .cell = -1.0, .words = words, .word_count = count};
    const char **lists = calloc(2 * (size_t)count + 1, sizeof *lists);
    if (!lists) {
        tell_problem("out of memory");
        return EXIT_FAILED;
    }
    settings.operands = lists;
    settings.sets = lists + count;
    exit_status status = EXIT_USAGE;
    if (command_parse(command, words + 2, count - 2, &settings)) {
        status = EXIT_DONE;
        if (settings.help) {
            help_command(command);
        } else {
            status = command->run(&settings);
        }
    }
    free(lists);
    return status;
}

static exit_status choose(int count, char **words)
{
    if (count < 2) {
        help_program();
        return EXIT_USAGE;
    }
    const char *word = words[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        print_version();
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        help_program();
    } else {
        const command *command = command_find(word);
        return command ? perform(command, words, count) : refuse_command(word);
    }
    return EXIT_DONE;
}

int main(int count, char **words)
{
    signals_prepare();
    exit_status status = choose(count, words);
    // A reader that went away is none of our business; a full disk is.
    if (fflush(stdout) != 0 && errno != EPIPE && status == EXIT_DONE) {
        tell_problem("the output cannot be written: %s", strerror(errno));
        return EXIT_FAILED;
    }
    return (int)status;
}
