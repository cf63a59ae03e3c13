"""PreToolUse of what writes a file: the guard."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))

from ultra_runtime.guard.hook import main, of_write

sys.exit(main(of_write))
