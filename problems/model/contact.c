/* Contacts between points of rigid bodies, deformable surfaces and the world:
 *
 *     C_n = n . (a - b) - d,   a = x_A + r_A,   r_A = R_A p_A - rho_a n,
 *     D^T u = (t1, t2)^T (v_a - v_b),   v_a = v_A + omega_A x r_A,   r_B = R_B p_B + rho_b n,
 *
 * at q+ = q- (+) h u; n, t1, t2 fixed over the step (Macklin et al. 2019, equations 9, 44). A point of
 * a deformable surface is a = sum_k w_k x_k - rho_a n, v_a = sum_k w_k v_k. */
#include <stdlib.h>

#include "problems/model/contact_rows.h"

void NB(nb_contacts_free)(struct NB(nb_contact_points) *contacts)
{
    free(contacts->point);
    free(contacts->radius);
    free(contacts->weight);
    free(contacts->frame);
    free(contacts->thickness);
}

enum nb_status NB(nb_contacts_create)(struct NB(nb_model) *model, struct nb_error *error)
{
    const struct nb_contacts *given = &model->problem->contacts;
    struct NB(nb_contact_points) *contacts = &model->nonlinear->contacts;
    const size_t n = (size_t)given->count;
    contacts->count = given->count;
    contacts->body = given->body;
    contacts->point = NB(nb_narrow)(given->point, 6 * n);
    contacts->radius = given->radius ? NB(nb_narrow)(given->radius, 2 * n)
                                     : calloc(2 * n + 1, sizeof *contacts->radius);
    if (given->particle) {
        contacts->particle = given->particle;
        contacts->weight = NB(nb_narrow)(given->weight, 6 * n);
    }
    contacts->frame = NB(nb_narrow)(given->frame, 9 * n);
    contacts->thickness = NB(nb_narrow)(given->thickness, n);
    if (!contacts->point || !contacts->radius || !contacts->frame || !contacts->thickness ||
        (given->particle && !contacts->weight))
        return nb_fail(error, NB_OUT_OF_MEMORY, "no memory for the contacts");
    for (size_t i = 0; i < n; ++i)
        model->friction[i] = (nb_real)given->friction[i];
    return NB_OK;
}

void NB(nb_contacts_evaluate)(struct NB(nb_model) *model, const nb_real *u)
{
    for (int i = 0; i < model->nonlinear->contacts.count; ++i)
        NB(nb_evaluate_contact)(model, i, u);
}
