"""Random tests are the same in every run of continuous integration; elsewhere each run tries new things."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
