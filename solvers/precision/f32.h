/* IEEE single throughout, residual evaluation included. */
#define NB_PRECISION f32
#define NB_PRECISION_TITLE "float32"
#define NB_UNIT_ROUNDOFF 0x1p-24
#define NB_REAL_BYTES 4 /* sizeof(nb_real), for the preprocessor */

typedef float nb_real;   /* state: velocities, forces, vectors       */
typedef float nb_matrix; /* storage of matrix entries                */
typedef float nb_sum;    /* accumulators of inner products           */
