"""What the evidence's scripts have in common: files are there whole or not at all, and who is refused is told in a line."""
import os
import sys


def refuse(text):
    """As the program refuses, with exit code 2."""
    script = os.path.basename(sys.argv[0])
    print(f"{script}: {text}", file=sys.stderr)
    sys.exit(2)


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
    except OSError:
        os.unlink(new)
        raise


def run(main):
    """main, whose files may not be there, be damaged, or have no room."""
    try:
        main()
    except (OSError, EOFError, UnicodeError) as error:
        named = getattr(error, "filename2", None) or getattr(error, "filename", None)
        refuse(f"{named}: {error.strerror}" if named and error.strerror else str(error))
