// Characters of UTF-8 text that can be written and read again.
#ifndef DR_BASE_UTF8_H
#define DR_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of the character at the start of the text: 1 to 4; 0 where it is not well formed or is a control character
// other than a tab or a line's end, a separator of lines, a mark of byte order, or no character at all.
static inline size_t dr_utf8_length(const char *text, size_t left)
{
    const unsigned char *at = (const unsigned char *)text;
    if (left == 0) return 0;
    if (*at < 0x80) return *at == '\n' || *at == '\t' || (*at >= 0x20 && *at != 0x7f);
    size_t bytes = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;
    if (*at < 0xc2 || *at > 0xf4 || bytes > left) return 0;
    uint32_t code = *at & (0xffU >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (at[i] & 0x3fU);
    }
    bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000) || code > 0x10ffff;
    bool odd = code < 0xa0 || code == 0x2028 || code == 0x2029 || code == 0xfeff || (code >= 0xd800 && code < 0xe000) ||
               (code & 0xfffe) == 0xfffe;
    return overlong || odd ? 0 : bytes;
}

#endif
