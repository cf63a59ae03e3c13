"""PreToolUse of what runs a shell: the guard."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))

from ultra_runtime.guard.hook import main, of_command

sys.exit(main(of_command))
