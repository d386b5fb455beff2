#!/bin/sh
# Fetches, as Debian packages, the mail servers and verifiers that test/world runs and the proxies that test/docs runs.
# It unpacks them into a folder and installs nothing.
set -eu
folder="${FACTEUR_MAIL_SERVERS:-${TMPDIR:-/tmp}/facteur-mail-servers}"
packages="postfix exim4-base exim4-daemon-light opensmtpd \
  libdb5.3 libevent-2.1-7 libgnutls-dane0 libidn12 libunbound8 libicu72 libnsl2 \
  python3-dkim python3-dnspython python3-nacl python3-cffi-backend python3-pkg-resources libsodium23 \
  nginx caddy haproxy liblua5.3-0 libopentracing-c-wrapper0 libopentracing1"

mkdir -p "$folder/packages" "$folder/root"
cd "$folder/packages"
# shellcheck disable=SC2086
apt-get download $packages || { apt-get update && apt-get download $packages; }
for package in ./*.deb; do dpkg -x "$package" "$folder/root"; done
echo "The mail servers are in $folder/root"
