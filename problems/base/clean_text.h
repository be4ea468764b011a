/* Texts from elsewhere, of files, records and names of files, are shown on terminals and written into records. */
#ifndef NB_CLEAN_TEXT_H
#define NB_CLEAN_TEXT_H

#include <stddef.h>

/* Puts "?" in the place of every control character, and of every byte beyond ASCII where the text is not UTF-8. */
void nb_clean_text(char *text);

/* Bytes of the letter in UTF-8 at its beginning; 0: there is none. */
int nb_utf8_length(const char *letter);

/* Copies text to to [size >= 1], which may be the same; where it is cut, between letters of UTF-8, not within one. */
void nb_copy_text(char *to, size_t size, const char *text);

#endif
