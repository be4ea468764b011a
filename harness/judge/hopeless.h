/* The contacts of a linear step without which its constraints do not contradict each other: as long as a certificate is
 * found (infeasibility.h), the contact that has the largest part in it is set aside. One that nothing can separate is
 * found alone; of several that cannot be met together one is, that which the others leave the least room. */
#ifndef NB_HOPELESS_H
#define NB_HOPELESS_H

#include "harness/judge/infeasibility.h"

struct nb_hopeless {
    int count;
    struct nb_hopeless_contact {
        int contact;
        int contacts, bilaterals; /* that it contradicts, besides */
    } * contact;                  /* [count] in the order in which they were found */
};

/* The problem is as before afterwards. To be freed in any case. */
enum nb_status nb_hopeless_find(struct nb_problem *problem, struct nb_hopeless *found, struct nb_error *error);
void nb_hopeless_free(struct nb_hopeless *found);

/* Takes contacts out of a linear global step, and of its drawing; dropped [contacts] is not 0 of those. */
void nb_drop_contacts(struct nb_problem *problem, const char *dropped);

#endif
