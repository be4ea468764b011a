/* Quotas of processor time, as control groups of both versions tell them. */
#include "tests/support/files.h"

#include <math.h>
#include <sys/stat.h>

#include "harness/records/provenance.h"

static void make(const struct test_folder *folder, const char *name, const char *file, const char *text)
{
    char path[512];
    mkdir(test_path(folder, name), 0700);
    snprintf(path, sizeof path, "%s/%s", name, file);
    test_write(test_path(folder, path), text);
}

#define LIST(folder) test_path(folder, "list")

TEST(a_group_without_a_quota_has_none)
{
    const struct test_folder folder = test_folder_make();
    assert_true(isnan(nb_quota_throttled(LIST(&folder), folder.path)));
    test_write(LIST(&folder), "3:memory:/job\n0::/job\nnonsense\n7:x\n");
    assert_true(isnan(nb_quota_throttled(LIST(&folder), folder.path)));
    make(&folder, "job", "cpu.max", "max 100000\n");
    make(&folder, "job", "cpu.stat", "usage_usec 12\nnr_throttled 0\nthrottled_usec 0\n");
    assert_true(isnan(nb_quota_processors(LIST(&folder), folder.path)));
    assert_true(nb_quota_throttled(LIST(&folder), folder.path) == 0);
    test_folder_remove(&folder);
}

/* The least of all that it is in, and what each of them was stopped. */
TEST(a_quota_may_lie_above)
{
    const struct test_folder folder = test_folder_make();
    test_write(LIST(&folder), "0::/slice/job\n");
    make(&folder, "slice", "cpu.max", "150000 100000\n");
    make(&folder, "slice", "cpu.stat", "usage_usec 12\nnr_periods 7\nnr_throttled 3\nthrottled_usec 2500000\n");
    make(&folder, "slice/job", "cpu.max", "50000 20000\n");
    make(&folder, "slice/job", "cpu.stat", "throttled_usec 500000\n");
    assert_true(fabs(nb_quota_processors(LIST(&folder), folder.path) - 1.5) < 1e-12);
    assert_true(fabs(nb_quota_throttled(LIST(&folder), folder.path) - 3) < 1e-12);
    test_folder_remove(&folder);
}

/* Version 1 has a mount for each set of controllers, and nanoseconds; "cpuset" is not "cpu". In a container the path is
 * that of the host, and its group is the mount. */
TEST(the_older_version_is_read)
{
    const struct test_folder folder = test_folder_make();
    test_write(LIST(&folder), "5:cpuset:/docker/1f\n4:cpu,cpuacct:/docker/1f\n1:name=systemd:/\n");
    make(&folder, "cpuset", "cpu.stat", "throttled_time 9000000000\n");
    make(&folder, "cpu,cpuacct", "cpu.cfs_quota_us", "200000\n");
    make(&folder, "cpu,cpuacct", "cpu.cfs_period_us", "100000\n");
    make(&folder, "cpu,cpuacct", "cpu.stat", "nr_throttled 4\nthrottled_time 1250000000\n");
    assert_true(nb_quota_processors(LIST(&folder), folder.path) == 2);
    assert_true(fabs(nb_quota_throttled(LIST(&folder), folder.path) - 1.25) < 1e-12);
    make(&folder, "cpu,cpuacct", "cpu.cfs_quota_us", "-1\n");
    assert_true(isnan(nb_quota_processors(LIST(&folder), folder.path)));
    test_folder_remove(&folder);
}
