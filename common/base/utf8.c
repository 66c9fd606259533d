/* SPDX-License-Identifier: ISC */
#include "common/base/utf8.h"

/* Length and value bits of a first byte, and the least code point of that length. */
static const struct form {
    uint8_t mask, lead;
    uint32_t least;
} forms[] = {
    {0x80, 0x00, 0x0},
    {0xe0, 0xc0, 0x80},
    {0xf0, 0xe0, 0x800},
    {0xf8, 0xf0, 0x10000},
};

static bool is_scalar(uint32_t cp)
{
    return cp <= 0x10ffff && (cp < 0xd800 || cp > 0xdfff);
}

size_t utf8_decode(const char *p, size_t n, uint32_t *cp)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t extra = 0;
    uint32_t v;

    if (n == 0)
        return 0;
    while (extra < ARRAY_LEN(forms) && (b[0] & forms[extra].mask) != forms[extra].lead)
        extra++;
    if (extra == ARRAY_LEN(forms) || extra >= n)
        return 0;
    v = b[0] & (uint8_t)~forms[extra].mask;
    for (size_t i = 1; i <= extra; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return 0;
        v = v << 6 | (b[i] & 0x3f);
    }
    if (v < forms[extra].least || !is_scalar(v))
        return 0;
    *cp = v;
    return extra + 1;
}

size_t utf8_encode(char dst[4], uint32_t cp)
{
    size_t extra = ARRAY_LEN(forms) - 1;

    CHECK(is_scalar(cp));
    while (cp < forms[extra].least)
        extra--;
    for (size_t i = extra; i > 0; i--) {
        dst[i] = (char)(0x80 | (cp & 0x3f));
        cp >>= 6;
    }
    dst[0] = (char)(forms[extra].lead | cp);
    return extra + 1;
}

bool utf8_valid(const char *p, size_t n)
{
    uint32_t cp;

    while (n > 0) {
        size_t len = utf8_decode(p, n, &cp);

        if (len == 0)
            return false;
        p += len;
        n -= len;
    }
    return true;
}

size_t utf8_count(const char *p, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)p[i] & 0xc0) != 0x80;
    return count;
}

bool utf8_is_plain(uint32_t cp)
{
    static const struct {
        uint32_t first, last;
    } banned[] = {
        {0x00, 0x1f},       /* C0 */
        {0x7f, 0x9f},       /* DEL, C1 */
        {0xad, 0xad},       /* soft hyphen */
        {0x61c, 0x61c},     /* Arabic letter mark */
        {0x180e, 0x180e},   /* Mongolian vowel separator */
        {0x200b, 0x200f},   /* zero-width, and direction marks */
        {0x2028, 0x202e},   /* separators, bidi embeddings and overrides */
        {0x2060, 0x2064},   /* word joiner, invisible operators */
        {0x2066, 0x2069},   /* bidi isolates */
        {0xfdd0, 0xfdef},   /* noncharacters */
        {0xfeff, 0xfeff},   /* byte order mark */
        {0xe0000, 0xe007f}, /* tags */
    };

    if (!is_scalar(cp) || (cp & 0xfffe) == 0xfffe)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(banned); i++)
        if (cp >= banned[i].first && cp <= banned[i].last)
            return false;
    return true;
}
