#!/bin/sh
# Fetches, as Debian packages, the mail servers, spam filters and verifiers that test/world runs and the proxies that test/docs runs.
# It unpacks them into a folder and installs nothing.
set -eu
folder="${FACTEUR_MAIL_SERVERS:-${TMPDIR:-/tmp}/facteur-mail-servers}"
packages="postfix exim4-base exim4-daemon-light opensmtpd \
  libdb5.3 libevent-2.1-7 libgnutls-dane0 libidn12 libunbound8 libicu72 libnsl2 \
  python3-dkim python3-dnspython python3-nacl python3-cffi-backend python3-pkg-resources libsodium23 \
  nginx caddy haproxy liblua5.3-0 libopentracing-c-wrapper0 libopentracing1"
filters="rspamd libhyperscan5 libluajit-5.1-2 libluajit-5.1-common libunwind8 \
  spamassassin libb-hooks-op-check-perl libclone-perl perl-openssl-defaults libcrypt-openssl-bignum-perl \
  libcrypt-openssl-random-perl libcrypt-openssl-rsa-perl libparams-util-perl libsub-install-perl libdata-optlist-perl \
  libdynaloader-functions-perl libdevel-callchecker-perl libdigest-hmac-perl libio-stringy-perl libparams-classify-perl \
  libmodule-runtime-perl libtry-tiny-perl libmodule-implementation-perl libparams-validate-perl libsub-exporter-perl \
  libgetopt-long-descriptive-perl libhtml-tagset-perl libregexp-ipv6-perl liburi-perl libhtml-parser-perl libtimedate-perl \
  libhttp-date-perl libnet-ssleay-perl libio-socket-ssl-perl libio-string-perl libmail-authenticationresults-perl \
  libnet-smtp-ssl-perl libmailtools-perl libnet-dns-perl libmail-dkim-perl libmail-spf-perl libnetaddr-ip-perl \
  libsocket6-perl libsys-hostname-long-perl liberror-perl"

mkdir -p "$folder/packages"
cd "$folder/packages"
# shellcheck disable=SC2086
apt-get download $packages || { apt-get update && apt-get download $packages; }
# shellcheck disable=SC2086
apt-get download $filters || echo "No spam filters: test/world skips their tests" >&2
# Tests that run meanwhile see all or nothing.
[ -d "$folder/root" ] || {
  rm -rf "$folder/unpacked"
  mkdir "$folder/unpacked"
  for package in ./*.deb; do dpkg -x "$package" "$folder/unpacked"; done
  mv "$folder/unpacked" "$folder/root"
}
echo "The mail servers are in $folder/root"
