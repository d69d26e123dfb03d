// A program of someone else's that links libdrench.
#include <drench/drench.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    printf("%s: %s\n", DR_VERSION, dr_status_name(DR_STATUS_OK));
    return strcmp(dr_status_name(DR_STATUS_OK), "ok") != 0;
}
