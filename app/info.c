#include "command.h"

#include "tell.h"

static exit_status verify(const settings *settings)
{
    dr_error error = {0};
    dr_result *result = NULL;
    size_t whole = 0;
    dr_status status = dr_result_open(settings->operands[0], NULL, &result, &error);
    if (!status) status = dr_result_verify(result, &whole, &error);
    if (result && !settings->json)
        printf("  verified    %zu of %zu frames are as they were written\n", whole, dr_result_frame_count(result));
    dr_result_close(result);
    return status ? tell_error(status, &error) : EXIT_DONE;
}

exit_status info_command(const settings *settings)
{
    dr_error error = {0};
    char *text = NULL;
    dr_status status = dr_result_describe(settings->operands[0], settings->json, &text, &error);
    bool there = text != NULL;
    if (text) fputs(text, stdout);
    dr_result_release_text(text);
    exit_status described = status ? tell_error(status, &error) : EXIT_DONE;
    exit_status verified = there && settings->verify ? verify(settings) : EXIT_DONE;
    return verified > described ? verified : described;
}
