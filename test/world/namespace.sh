#!/bin/sh
# Makes a small world of the namespaces it runs in, then runs its arguments there: users, a name server's address, mail hosts, no way out.
# Called by `unshare --mount --net --pid --fork`; all of it is gone when the last process in it ends.
#   $FACTEUR_WORLD_HOME: an empty folder. $FACTEUR_MAIL_SERVERS: where fetch-servers.sh unpacked.
set -eu
home="$FACTEUR_WORLD_HOME"
servers="$FACTEUR_MAIL_SERVERS/root"

mount --make-rprivate /
mount -t proc proc /proc

# What was unpacked is where its programs look for themselves, as if it were installed. Nothing is written to either side.
for folder in usr var/lib; do
  if [ -d "$servers/$folder" ]; then mount -t overlay overlay -o "lowerdir=$servers/$folder:/$folder" "/$folder"; fi
done
mount -t tmpfs tmpfs /var/spool
mount -t tmpfs tmpfs /run

# The users that the servers want, and the name server.
mkdir "$home/etc"
for name in passwd group; do
  grep -Ev '^(postfix|postdrop|Debian-exim|opensmtpd|opensmtpq|reader):' "/etc/$name" > "$home/etc/$name"
done
id=61000
for name in postfix postdrop Debian-exim opensmtpd opensmtpq reader; do
  id=$((id + 1))
  echo "$name:x:$id:" >> "$home/etc/group"
  echo "$name:x:$id:$id::/nonexistent:/bin/sh" >> "$home/etc/passwd"
done
echo 'nameserver 10.25.0.53' > "$home/etc/resolv.conf"
# What Postfix looks itself up in comes with its package.
fetched=""
if [ -d "$servers/etc" ]; then fetched="$servers/etc"; fi
# Exim retains its rights only with a configuration that is named here.
mkdir "$home/etc/exim4"
echo "$home/exim-etc/exim.conf" > "$home/etc/exim4/trusted_configs"
mount -t overlay overlay -o "lowerdir=$home/etc${fetched:+:$fetched}:/etc" /etc

# Every host is an address of this one network. 10.66.0.1 is the host that must not be dialled.
ip link set lo up
for address in 10.25.0.53 10.25.0.9 10.25.0.10 10.25.0.11 10.25.0.12 10.25.1.1 10.25.1.2 10.25.1.3 10.25.1.4 10.25.1.5 10.25.2.1 10.25.3.1 10.66.0.1; do
  ip address add "$address/32" dev lo
done
if [ -e /proc/net/if_inet6 ]; then
  for address in fd25::9 fd25::1:1; do ip -6 address add "$address/128" dev lo nodad; done
fi

exec "$@"
