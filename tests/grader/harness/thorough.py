"""Whether everything is played that could be: in CI, where NORMGRADE_THOROUGH is set. `make test` plays enough of it to notice a defect."""

import os

THOROUGH = "NORMGRADE_THOROUGH" in os.environ
