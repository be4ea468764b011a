#!/usr/bin/env bash
# simulate --film, read by a GIF reader of our own: as many frames as steps were asked for, of one size, each as long as
# its steps, by one camera and scale, so that what falls goes down in the picture and what rests stays.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }
gnuplot -e 'set terminal' 2>&1 | grep -q '^ *gif ' || { echo "skipped: this gnuplot draws no GIF"; exit 77; }
ncpbench=$(realpath "${BUILD:-build}/ncpbench")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_film: $1" >&2; exit 1; }
cd "$work"
"$ncpbench" simulate ball_drop --set time_step=0.005 --steps 24 --every 6 --film fall.gif >/dev/null
"$ncpbench" simulate two_boxes --steps 3 --film rest.gif >/dev/null
[ -z "$(find . -mindepth 1 ! -name '*.gif')" ] || fail "it leaves $(ls -A)"
"$ncpbench" simulate ball_drop --set time_step=0.005 --steps 24 --every 6 --film again.gif >/dev/null
cmp fall.gif again.gif || fail "another film of the same run"

cat >gif.py <<'END_OF_PYTHON'
import struct, sys


def unpack(data, least):
    """LZW of GIF: codes of growing width, least bits first."""
    clear, bits, held, at, out = 1 << least, 0, 0, 0, bytearray()
    table, width, last = None, least + 1, None
    while True:
        while bits < width:
            held |= data[at] << bits
            bits, at = bits + 8, at + 1
        code, held, bits = held & ((1 << width) - 1), held >> width, bits - width
        if code == clear:
            table, width, last = [bytes([i]) for i in range(clear)] + [b"", b""], least + 1, None
            continue
        if code == clear + 1:
            return out
        entry = table[code] if code < len(table) else last + last[:1]
        out += entry
        if last is not None and len(table) < 4096:
            table.append(last + entry[:1])
        last = entry
        if len(table) == 1 << width and width < 12:
            width += 1


def frames(path):
    """Delay [1/100 s] and rows of grey levels of each frame, laid upon those before."""
    data = open(path, "rb").read()
    assert data[:6] == b"GIF89a", path
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    at, colours, delay, unseen, all_frames = 13, None, 0, None, []
    picture = [[255] * width for _ in range(height)]
    if flags & 128:
        colours, at = data[at:at + 3 * (2 << (flags & 7))], at + 3 * (2 << (flags & 7))
    while data[at] != 0x3B:
        if data[at] == 0x21:
            if data[at + 1] == 0xF9:
                delay, unseen = struct.unpack_from("<H", data, at + 4)[0], data[at + 6] if data[at + 3] & 1 else None
            at += 2
        else:
            left, top, wide, high, flags = struct.unpack_from("<HHHHB", data, at + 1)
            at, own = at + 10, colours
            if flags & 128:
                own, at = data[at:at + 3 * (2 << (flags & 7))], at + 3 * (2 << (flags & 7))
            least, at, packed, start = data[at], at + 1, bytearray(), at
            while data[at]:
                packed += data[at + 1:at + 1 + data[at]]
                at += 1 + data[at]
            pixels = unpack(packed, least)
            assert len(pixels) == wide * high and not flags & 64
            for i, pixel in enumerate(pixels):
                if pixel != unseen:
                    picture[top + i // wide][left + i % wide] = sum(own[3 * pixel:3 * pixel + 3]) // 3
            all_frames.append((delay, [list(row) for row in picture]))
            at += 1
            continue
        while data[at]:
            at += 1 + data[at]
        at += 1
    return all_frames


def middle(picture):
    """Mean row of what is drawn above the strip for the scales."""
    rows = picture[:-60]
    weight = [sum(255 - x for x in row) for row in rows]
    return sum(i * w for i, w in enumerate(weight)) / sum(weight)


if __name__ == "__main__":
    fall, rest = frames("fall.gif"), frames("rest.gif")
    assert len(fall) == 4 and len(rest) == 3, (len(fall), len(rest))
    heights = [middle(picture) for _, picture in fall]
    assert all(b > a + 0.5 for a, b in zip(heights, heights[1:])), heights
    still = [middle(picture) for _, picture in rest]
    assert max(still) - min(still) < 0.5, still
    step = float(sys.argv[1])
    assert all(delay == max(2, round(600 * step)) for delay, _ in fall), [delay for delay, _ in fall]
END_OF_PYTHON
python3 gif.py 0.005

# What cannot be is said before the run, and nothing is left behind.
code=0
"$ncpbench" simulate two_boxes --steps 1 --film nowhere/a.gif >said 2>log || code=$?
[ $code = 2 ] && [ ! -s said ] && grep -q -- '--film: nowhere/a.gif cannot be written' log || fail "refused: $(cat log)"
