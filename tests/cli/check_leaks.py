#!/usr/bin/env python3
"""Nothing that the command allocates is left when it ends: the transcripts again, with a command that was linked with
LeakSanitizer, which ends with 23 and says what was not released."""
import os
import pathlib
import sys

import run_transcripts

BINARIES = pathlib.Path(os.environ["INK_BINARY_FOLDER"]) / "leaks"

if __name__ == "__main__":
    if not (BINARIES / "ink").exists():
        print("1..1\nok 1 - transcripts # SKIP no LeakSanitizer here: leaks of the command were not looked for")
        sys.exit()
    os.environ["INK_BINARY_FOLDER"] = str(BINARIES)
    sys.exit(run_transcripts.main(sys.argv[1:]))
