// The scene reference, generated.
#ifndef DRENCH_APP_REFERENCE_H
#define DRENCH_APP_REFERENCE_H

void put_reference(void); // Markdown

#endif
