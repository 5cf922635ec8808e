#!/bin/sh
# Unpacks the client programs of PostgreSQL 18 from Debian's packages into a folder, for systems that have older ones or none. Nothing is
# installed, and no root is needed. apt checks the signatures. The programs bring the libraries that they were built with.
set -eu
to=$1
for program in apt-get dpkg-deb; do
  command -v "$program" > /dev/null || { echo "$program is not installed" >&2; exit 1; }
done
rm -rf "$to" && mkdir -p "$to/apt/lists/partial" "$to/apt/cache/archives/partial" "$to/apt/parts" "$to/packages" "$to/bin"
echo 'deb http://deb.debian.org/debian sid main' > "$to/apt/sources.list"
: > "$to/apt/status"
apt() {
  apt-get -qq -o Dir::State="$to/apt" -o Dir::State::status="$to/apt/status" -o Dir::Cache="$to/apt/cache" \
    -o Dir::Etc::sourcelist="$to/apt/sources.list" -o Dir::Etc::sourceparts="$to/apt/parts" -o Dir::Etc::preferencesparts="$to/apt/parts" \
    -o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)" "$@"
}
apt update
cd "$to/packages"
apt download postgresql-client-18 libpq5 libc6 libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libcom-err2 libkeyutils1 \
  libldap2 libsasl2-2 libssl3t64 libzstd1 liblz4-1 zlib1g libreadline8t64 libtinfo6
for package in *.deb; do dpkg-deb -x "$package" "$to"; done
libraries=$(echo "$to"/usr/lib/*-linux-gnu)
loader=$(echo "$libraries"/ld-linux-*)
for program in psql createdb dropdb pg_dump pg_restore; do
  printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$loader" "$libraries" "$to/usr/lib/postgresql/18/bin/$program" > "$to/bin/$program"
  chmod 755 "$to/bin/$program"
done
rm -r "$to/apt" "$to/packages"
