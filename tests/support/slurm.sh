# shellcheck shell=bash
# A Slurm of one node, for a test: its daemons, key, sockets and logs are in a folder of their own, and its ports are not
# the usual ones. To be sourced; start_slurm FOLDER MAX_ARRAY_SIZE needs root, slurmctld, slurmd and munged, and sets
# SLURM_CONF; stop_slurm ends what it started.

start_slurm() {
    local folder=$1 host wait
    host=$(hostname -s)
    mkdir -p "$folder"/{state,spool,log}
    chmod 755 "$folder"
    mkdir -m 755 "$folder/munge"
    dd if=/dev/urandom of="$folder/munge/key" bs=64 count=1 status=none
    chmod 600 "$folder/munge/key"
    cat >"$folder/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmdPort=26818
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
MaxArraySize=$2
MinJobAge=600
KillWait=2
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=p Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
    export SLURM_CONF=$folder/slurm.conf
    slurm_folder=$folder
    munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munged.pid" \
        --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" 2>/dev/null || return 1
    slurmctld -c -f "$SLURM_CONF" || return 1
    slurmd -f "$SLURM_CONF" || return 1
    for ((wait = 0; wait < 60; ++wait)); do
        [ "$(sinfo -h -o %t 2>/dev/null)" != idle ] || return 0
        sleep 0.5
    done
    tail -n 5 "$folder"/log/*
    return 1
}

stop_slurm() {
    [ -n "${slurm_folder:-}" ] || return 0
    local daemon pid wait
    for daemon in slurmd slurmctld munged; do
        pid=$(cat "$slurm_folder/$daemon.pid" 2>/dev/null) || continue
        kill "$pid" 2>/dev/null || continue
        for ((wait = 0; wait < 50; ++wait)); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    done
}
