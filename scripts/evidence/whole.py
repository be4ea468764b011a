"""What the evidence's scripts have in common: files are there whole or not at all, and refusals are told in a line."""
import gzip
import os
import sys
import zlib

POINTERS = (b"version https://git-lfs.github.com/spec/", b"version https://hawser.github.com/spec/")


def refuse(text):
    """As the program refuses, with exit code 2."""
    script = os.path.basename(sys.argv[0])
    print(f"{script}: {text}", file=sys.stderr)
    sys.exit(2)


def lines_of(path):
    """The lines of a file, which may be compressed, with their numbers."""
    try:
        with open(path, "rb") as file:
            if file.read(64).startswith(POINTERS):
                refuse(f"{path}: is not the file but Git LFS's pointer to it: `git lfs pull` fetches the file")
        with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
            yield from enumerate(lines, 1)
    except (OSError, EOFError, UnicodeError, zlib.error) as reason:  # a yield raises nothing of these
        refuse(f"{path}: {getattr(reason, 'strerror', None) or reason}")


def place(path, content):
    """The bytes, written beside their place, where nothing is followed, and moved there."""
    new = f"{path}.new.{os.getpid()}"
    if os.path.lexists(new):
        os.unlink(new)
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        with open(file, "wb") as stream:
            stream.write(content)
        os.replace(new, path)
    except OSError as error:
        os.unlink(new)
        raise OSError(error.errno, error.strerror, str(path)) from None


def run(main):
    """main, whose files may not be there, be damaged, or have no room."""
    try:
        main()
    except (OSError, EOFError, UnicodeError) as error:
        named = getattr(error, "filename2", None) or getattr(error, "filename", None)
        refuse(f"{named}: {error.strerror}" if named and error.strerror else str(error))
