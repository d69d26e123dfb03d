// Seals: 512 bytes of text before an HDF5 file that say what it is, how long the rest is, and a hash of it. HDF5 steps
// over them (a "user block"), and drench lets HDF5 see a file only once its seal holds: the library itself may read
// past its own buffers in a damaged one. Format: docs/results.md.
#ifndef DR_IO_SEAL_H
#define DR_IO_SEAL_H

#include "base/error.h"
#include "io/folder.h"

#define DR_SEAL_BYTES 512

// The seal of a file of that kind, one word, to be written before the bytes of the HDF5 file.
void dr_seal_make(char seal[DR_SEAL_BYTES], const char *kind, const dr_piece *content);

// Whether the file is of that kind, as long as it was and with the same bytes; else DR_STATUS_IO and what is wrong.
// *sealed is false, and all is well, where a plain HDF5 file stands there without a seal.
dr_status dr_seal_check(const char *path, const char *kind, const dr_allocator *allocator, bool *sealed,
                        dr_error *error);

// The same without a look at the bytes after the seal, only at how many they are.
dr_status dr_seal_glance(const char *path, const char *kind, bool *sealed, dr_error *error);

#endif
