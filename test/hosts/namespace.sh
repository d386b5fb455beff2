#!/bin/sh
# Turns the namespaces that it runs in into a router between hosts that do not exist yet, then runs its arguments there.
# Called by `unshare --user --map-root-user --mount --net --pid --fork`; all of it is gone when its last process ends.
set -eu
mount --make-rprivate /
mount -t proc proc /proc
# `ip netns` keeps the network of each host here.
mount -t tmpfs tmpfs /run
mkdir /run/netns
ip link set lo up
echo 1 > /proc/sys/net/ipv4/ip_forward
# A rule that drops one direction must not make the other look forged (reverse path filter).
for of in all default; do echo 0 > "/proc/sys/net/ipv4/conf/$of/rp_filter"; done
exec "$@"
