"""`python -m angarium` is `angarium`."""

from angarium.app.cli import main

if __name__ == "__main__":
    main()
