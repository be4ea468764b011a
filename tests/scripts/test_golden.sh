#!/usr/bin/env bash
# What the commands on records make of tests/golden/records.jsonl.gz is what the files beside it hold; a difference is
# printed with its file. `make golden` takes what is made now, to be read and committed. Numbers of more than ten digits
# are held in nine: another machine's fused products change the last ones.
set -euo pipefail
cd "$(dirname "$0")/../.."
golden=tests/golden
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

scripts/golden.sh "$made" $golden/records.jsonl.gz
python3 - "$made" <<'END'
import pathlib, re, sys

def shorten(number):
    return f"{float(number[0]):.9g}" if len(number[0].replace(".", "").lstrip("-0")) > 10 else number[0]

for file in pathlib.Path(sys.argv[1]).iterdir():
    text = file.read_text()
    file.write_text(re.sub(r"(?<![\w.#-])-?\d+\.\d+(e[-+]\d+)?(?![\w.])", shorten, text))
END
if [ "${1:-}" = --rewrite ]; then
    find $golden -type f ! -name 'records.jsonl.gz' -delete
    cp "$made"/* $golden/
    exit
fi
diff -ru --exclude=records.jsonl.gz $golden "$made" || {
    echo "golden: the outputs above differ from $golden; where that is meant, make golden and commit" >&2
    exit 1
}
