#!/bin/bash
# Loops, subshells, pipes, traps and jobs.
for i in 1 2 3; do echo "$i $(echo "sub $i")"; done | sort -r
(exit 7); echo "status $?"
cat <(echo process substitution)
trap 'echo trapped' USR1
kill -USR1 $$
true & wait $!; echo "job $?"
echo here | { read -r word; echo "read $word"; }
exec 9> out; echo to nine >&9; exec 9>&-; cat out
total=0; for ((i = 0; i < 20000; ++i)); do ((total += i)); done; echo $total
/bin/sh -c 'kill -TERM $$'; echo "killed $?"
exec sh -c 'echo executed; exit 5'
