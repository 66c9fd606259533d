/* SPDX-License-Identifier: ISC
 * entry_words.h -- the words of journal entries, for their encoder and decoder.
 */
#ifndef SK_PROTO_ENTRY_WORDS_H
#define SK_PROTO_ENTRY_WORDS_H

#include "proto/entry.h"

/* Each: false, *out untouched, for a word that isn't one. */
bool entry_role_from_word(const char *w, uint8_t *out);
bool entry_kind_from_word(const char *w, uint8_t *out); /* entries around play alone */
const char *entry_offer_word(enum offer_kind o);
bool entry_offer_from_word(const char *w, uint8_t *out);

#endif
