"""Folders of its own for a Spark: a local cluster writes its work folder into SPARK_HOME, and the environment is everybody's."""

from __future__ import annotations

import os
import pathlib

# Errors alone, on standard error.
LOGGING = """rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d %p %c: %m%n
"""


def make_home(folder: pathlib.Path) -> dict[str, str]:
    """Makes folder/home, of links to what PySpark brought, and folder/settings; gives the variables that name them."""
    import pyspark

    home, settings = folder / "home", folder / "settings"
    home.mkdir()
    settings.mkdir()
    (settings / "log4j2.properties").write_text(LOGGING, encoding="utf-8")
    for entry in os.scandir(os.path.dirname(pyspark.__file__)):
        if entry.name != "work":
            (home / entry.name).symlink_to(entry.path)
    return {"SPARK_HOME": str(home), "SPARK_CONF_DIR": str(settings)}
