/* What a reader or a writer of other programs' formats says beside its result: what is left out, and what was taken
 * for what. */
#ifndef NB_NOTES_H
#define NB_NOTES_H

enum { NB_NOTES = 8, NB_NOTE_SIZE = 200 };

struct nb_notes {
    int count;
    char text[NB_NOTES][NB_NOTE_SIZE];
};

/* Adds a note; those past the last are dropped, as all are where notes is NULL. */
void nb_note(struct nb_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
