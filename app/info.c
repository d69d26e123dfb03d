#include "command.h"

#include "tell.h"

exit_status info_command(const settings *settings)
{
    dr_error error = {0};
    char *text = NULL;
    dr_status status = dr_result_describe(settings->operands[0], settings->json, &text, &error);
    if (text) fputs(text, stdout);
    dr_result_release_text(text);
    return status ? tell_error(status, &error) : EXIT_DONE;
}
