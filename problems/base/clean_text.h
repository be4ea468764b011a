/* Texts from elsewhere, of files, records and names of files, are shown on terminals and written into records. */
#ifndef NB_CLEAN_TEXT_H
#define NB_CLEAN_TEXT_H

/* Puts "?" in the place of every control character, and of every byte beyond ASCII where the text is not UTF-8. */
void nb_clean_text(char *text);

#endif
