/* The version of ncpbench, as in CHANGELOG.md and every record. */
#ifndef NB_VERSION_H
#define NB_VERSION_H

#define NB_VERSION "0.1.0"

#endif
