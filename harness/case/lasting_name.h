/* Names that options keep without owning them. */
#ifndef NB_LASTING_NAME_H
#define NB_LASTING_NAME_H

/* A text equal to the given one, a strategy of that kind with or without settings, that lives as long as the
 * program; NULL where memory is short. A name without settings is the registry's own. */
const char *nb_lasting_name(const char *kind, const char *text);

#endif
