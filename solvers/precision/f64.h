/* IEEE double throughout. */
#define NB_PRECISION f64
#define NB_PRECISION_TITLE "float64"
#define NB_UNIT_ROUNDOFF 0x1p-53
#define NB_REAL_BYTES 8 /* sizeof(nb_real), for the preprocessor */

typedef double nb_real;   /* state: velocities, forces, vectors       */
typedef double nb_matrix; /* storage of matrix entries                */
typedef double nb_sum;    /* accumulators of inner products           */
