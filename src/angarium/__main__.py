"""`python -m angarium` is `angarium`."""

from angarium.cli import main

if __name__ == "__main__":
    main()
