"""How many random histories the properties are tried with: a few in `make test`, many in `make histories`."""

import os

HISTORIES = int(os.environ.get("TEST_HISTORIES", "8"))
