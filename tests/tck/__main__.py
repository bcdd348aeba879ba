"""`python -m tests.tck`: print the score."""

import sys

from tests.tck.run import main

sys.exit(main(sys.argv[1:]))
