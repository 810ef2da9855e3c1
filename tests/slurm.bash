# A cluster of this machine alone, by Debian's Slurm, in a directory: for tests of what is handed to sbatch.

# slurm_start DIR: 1 and a reason on stdout where it cannot be
slurm_start() {
    local program host
    for program in munged slurmctld slurmd sbatch; do
        PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "no $program (make deps-slurm)"; return 1; }
    done
    host=$(hostname -s)
    mkdir -p "$1"/{state,spool,run}
    head -c 1024 /dev/urandom >"$1/key"
    chmod 600 "$1/key"
    cat >"$1/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$1/run/munge
CredType=cred/munge
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool
SlurmctldPidFile=$1/run/slurmctld.pid
SlurmdPidFile=$1/run/slurmd.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd.log
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=16000
PartitionName=all Nodes=$host Default=YES State=UP
END
    export SLURM_CONF=$1/slurm.conf
    (
        PATH=$PATH:/usr/sbin
        munged --force --key-file="$1/key" --socket="$1/run/munge" --pid-file="$1/run/munged.pid" --log-file="$1/munged.log" \
            --seed-file="$1/run/seed"
        slurmctld -c
        slurmd -c
    ) >"$1/started" 2>&1 3>&- </dev/null

    for _ in $(seq 60); do
        [ "$(sinfo -h -o %t 2>/dev/null)" != idle ] || return 0
        sleep 0.5
    done
    slurm_stop "$1"
    echo "Slurm does not start here: $(tail -qn 1 "$1"/*.log "$1/started" 2>/dev/null | tail -n 1)"
    return 1
}

# slurm_wait: until no job is left, at most two minutes
slurm_wait() {
    for _ in $(seq 240); do
        [ -n "$(squeue -h 2>&1)" ] || return 0
        sleep 0.5
    done
    squeue
    return 1
}

slurm_stop() {
    local program
    for program in slurmd slurmctld munged; do
        [ ! -s "$1/run/$program.pid" ] || kill "$(cat "$1/run/$program.pid")" 2>/dev/null || true
    done
}
