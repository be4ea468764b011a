/* IEEE double throughout. */
#define NB_PRECISION f64
#define NB_PRECISION_TITLE "float64"
#define NB_UNIT_ROUNDOFF 0x1p-53

typedef double nb_real;   /* state: velocities, forces, vectors       */
typedef double nb_matrix; /* storage of matrix entries                */
typedef double nb_sum;    /* accumulators of inner products           */
