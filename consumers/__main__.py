"""`torpor`, also as `python -m consumers`."""

from consumers.cli.main import main

if __name__ == "__main__":
    main()
