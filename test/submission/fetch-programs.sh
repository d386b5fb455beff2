#!/bin/sh
# Fetches, as Debian packages, the programs that programs.long.test.ts hands mail in with. It unpacks them into a folder and installs nothing.
set -eu
folder="${FACTEUR_MAIL_PROGRAMS:-${TMPDIR:-/tmp}/facteur-mail-programs}"
packages="msmtp libgsasl18 libntlm0 libidn12 libgssglue1 libsecret-1-0 swaks libnet-ssleay-perl \
  php8.2-cli php8.2-common php8.2-mbstring php-common libonig5 libphp-phpmailer \
  libargon2-1 libsodium23 libedit2 libbsd0 libmd0 libmagic1 libxml2 \
  ruby3.1 libruby3.1 libyaml-0-2 rubygems-integration ruby-mail ruby-mini-mime \
  python3-django python3-asgiref python3-sqlparse python3-tz"

mkdir -p "$folder/packages"
cd "$folder/packages"
# shellcheck disable=SC2086
apt-get download $packages || { apt-get update && apt-get download $packages; }
# Tests that run meanwhile see all or nothing.
rm -rf "$folder/unpacked" "$folder/former"
mkdir "$folder/unpacked"
for package in ./*.deb; do dpkg -x "$package" "$folder/unpacked"; done
if [ -d "$folder/root" ]; then mv "$folder/root" "$folder/former"; fi
mv "$folder/unpacked" "$folder/root"
rm -rf "$folder/former"
echo "The programs are in $folder/root"
