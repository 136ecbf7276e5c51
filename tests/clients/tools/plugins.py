# SPDX-License-Identifier: BSD-2-Clause
"""A directory of fake plugins and a clean environment that leads to it. The script lines of a fake are described in
tests/fakes/fake_provider.c."""
import os
import pathlib
import shutil
import tempfile


class Plugins:
    """Used as a context: the directory goes with it."""

    def __init__(self, fake):
        self.fake = fake
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="fi-tools-"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def add(self, name, *script):
        plugin = self.path / f"lib{name}-fi.so"
        shutil.copy(self.fake, plugin)
        plugin.with_name(plugin.name + ".script").write_text("\n".join((f"name={name}", *script)) + "\n")
        return str(plugin)

    def add_text(self, name, text):
        plugin = self.path / name
        plugin.write_text(text)
        return str(plugin)

    def environment(self, **more):
        merged = {key: value for key, value in os.environ.items() if not key.startswith("FI_")}
        return {**merged, "FI_PROVIDER_PATH": str(self.path), "LC_ALL": "C", **more}
