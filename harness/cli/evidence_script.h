/* The scripts of the evidence, in Python, which come with the program: scripts/evidence/. */
#ifndef NB_EVIDENCE_SCRIPT_H
#define NB_EVIDENCE_SCRIPT_H

#include "problems/base/status.h"

enum { NB_SCRIPT_WORDS = 4200 };

/* A script's name and arguments while they are gathered; the words are the caller's. */
struct nb_script {
    const char *word[NB_SCRIPT_WORDS]; /* ended by NULL */
    int count;
};

/* A word, and an option with its value, which is left out where the value is NULL. */
void nb_script_add(struct nb_script *script, const char *word);
void nb_script_add_option(struct nb_script *script, const char *option, const char *value);

/* Runs word[0] of scripts/evidence; *code is how it exits. It finds this program in the environment's PROGRAM. */
enum nb_status nb_script_run(const struct nb_script *script, int *code, struct nb_error *error);

#endif
