/* Arrays of one allocation: aligned, zero, of the sizes asked for, and none in another. */
#include "tests/support/test.h"

#include "problems/base/arena.h"

struct arrays {
    int count;
    char *letters;
    double *numbers;
    int *none, *last;
};

static void lay_out(void *data, struct nb_arena *arena)
{
    struct arrays *self = data;
    NB_ARRAY(arena, self->letters, self->count);
    NB_ARRAY(arena, self->numbers, 3 * self->count);
    NB_ARRAY(arena, self->none, 0);
    NB_ARRAY(arena, self->last, self->count + 1);
}

TEST(test_arrays_lie_apart)
{
    for (int count = 0; count < 200; count += 13) {
        struct arrays self = {.count = count};
        void *memory = nb_arena_allocate(lay_out, &self);
        assert_non_null(memory);
        for (int i = 0; i < 3 * count; ++i)
            assert_true(self.numbers[i] == 0);
        assert_int_equal((uintptr_t)self.letters % 64 + (uintptr_t)self.numbers % 64 + (uintptr_t)self.last % 64, 0);
        memset(self.letters, 1, (size_t)count);
        memset(self.numbers, 2, 3 * (size_t)count * sizeof *self.numbers);
        memset(self.last, 3, ((size_t)count + 1) * sizeof *self.last);
        for (int i = 0; i < count; ++i)
            assert_true(self.letters[i] == 1 && self.last[i] == 0x03030303 &&
                        memcmp(&self.numbers[3 * i], "\2\2\2\2\2\2\2\2", 8) == 0);
        free(memory);
    }
}
