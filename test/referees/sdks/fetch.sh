#!/bin/sh
# Fetches Resend's SDKs of other languages and builds the programs beside this file with them; installs nothing on the machine.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
folder="${FACTEUR_SDKS:-${TMPDIR:-/tmp}/facteur-sdks}"
mkdir -p "$folder"

# Each language by itself: where one cannot be had, its tests are skipped and the others run.
attempt() {
  language="$1"
  stamp="$(find "$here/$language" -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -d ' ' -f 1)"
  [ "$(cat "$folder/$language/stamp" 2>/dev/null)" = "$stamp" ] && return
  rm -rf "${folder:?}/$language"
  cp -R "$here/$language" "$folder/$language"
  if (cd "$folder/$language" && "build_$language") > "$folder/$language.log" 2>&1; then
    echo "$stamp" > "$folder/$language/stamp"
  else
    echo "No Resend SDK for $language: see $folder/$language.log"
  fi
}

build_python() { python3 -m pip install --quiet --target packages resend==2.52.0; }
build_go() { go mod tidy && go build -o referee .; }
build_rust() { cargo build --quiet; }
build_java() { mvn -q -B dependency:copy-dependencies -DoutputDirectory=jars && javac -encoding UTF-8 -cp 'jars/*' Referee.java; }
build_php() { composer install --quiet --no-dev --no-interaction; }
build_ruby() { gem install --quiet --no-document --install-dir gems --version "$(sed -n 's/^gem "resend", "\(.*\)"/\1/p' Gemfile)" resend; }

for language in python go rust java php ruby; do attempt "$language"; done
echo "The SDKs are in $folder"
