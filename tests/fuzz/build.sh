#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds the fuzz targets as OSS-Fuzz has a project build them: from $SRC, in $WORK, into $OUT, with $CC, $CFLAGS and
# $LIB_FUZZING_ENGINE. Without these variables: libFuzzer with ASan and UBSan, into build-fuzz/out. The packages that
# examples/setup installs have to be there, and zip.
set -euo pipefail
usage="Usage: [OUT=FOLDER] [CC=clang CFLAGS=... LIB_FUZZING_ENGINE=...] tests/fuzz/build.sh"
case ${1:-} in
'') ;;
-h | --help) echo "$usage"; exit 0 ;;
*) echo "$usage" >&2; exit 2 ;;
esac
source=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
work=${WORK:-$source/build-fuzz}
out=${OUT:-$source/build-fuzz/out}
engine=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
# other engines are archives of C++
case $engine in -*) ;; *) engine=$engine,-lc++ ;; esac
export CC=${CC:-clang} CFLAGS=${CFLAGS:--O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link}
# libraries are beside the targets, as the machine that runs these has none
export LDFLAGS="${LDFLAGS:-} -Wl,--disable-new-dtags,-rpath,\$ORIGIN/lib"

# Copies what a file is linked with, but for libc's own.
copy_libraries() {
    ldd "$1" | awk -v own="$out/" '$3 ~ "^/" && index($3, own) != 1 &&
        $3 !~ /\/(libc|libm|libdl|librt|libpthread|libresolv)\.so/ { print $3 }' | xargs -r cp -Lut "$out/lib"
}

[ -e "$work/build.ninja" ] ||
    meson setup "$work" "$source" -Dfuzz=true -Dfuzz-engine="$engine" -Db_lundef=false -Dbuildtype=plain >/dev/null
targets=$(meson introspect --targets "$work" | grep -o '"name": "fuzz-[a-z]*", "id": "[^"]*", "type": "executable"' | cut -d'"' -f4)
# libgstreamer looks for plugins below its own folder
plugins=$out/lib/gstreamer-1.0
mkdir -p "$plugins"
# shellcheck disable=SC2086
ninja -C "$work" tests/fuzz/corpus $(printf 'tests/fuzz/%s ' $targets) >/dev/null
for target in $targets; do
    cp "$work/tests/fuzz/$target" "$out"
    rm -f "$out/${target}_seed_corpus.zip"
    zip -qrjX "$out/${target}_seed_corpus.zip" "$work/tests/fuzz/corpus/${target#fuzz-}"
    copy_libraries "$out/$target"
    # GLib leaves what it made before main() behind, which only a slow look at the stack can tell: see ten-minutes
    case $(ldd "$out/$target") in
    *libgstreamer*) printf '[libfuzzer]\ndetect_leaks = 0\n' > "$out/$target.options" ;;
    esac
done
# those that the ends of the relay need to be checked
for plugin in app coreelements rtp rtpmanager udp; do
    cp -u "$(pkg-config --variable=pluginsdir gstreamer-1.0)/libgst$plugin.so" "$plugins"
    copy_libraries "$plugins/libgst$plugin.so"
done
