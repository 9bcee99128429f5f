"""The page's types: `web/src/lib/schemas.ts`, generated from the schemas of the API.

    npm run types        in web/, with linnet's environment active

`linnet map review` serves a part of the API of `linnet annotate`, with the same schemas.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

WEB = Path(__file__).resolve().parents[1] / "web"
TYPES = WEB / "src/lib/schemas.ts"
GENERATOR = WEB / "node_modules/openapi-typescript/bin/cli.js"


def generated() -> str:
    """What the file has to contain: a type for each schema. Needs Node.js and `npm ci`."""
    from linnet.annotate.api.app import create_app

    document = create_app(cast(Any, SimpleNamespace())).openapi()
    schemas = document["components"]["schemas"]
    for name in _answered(document):
        schemas[name]["required"] = list(schemas[name].get("properties", ()))
    # Without the types of operations, which the page does not use, the file is a quarter as long.
    document |= {"info": {"title": "linnet", "version": "0"}, "paths": {}}
    command = ["node", str(GENERATOR), "--root-types", "--root-types-no-schema-prefix"]
    made = subprocess.run(command, input=json.dumps(document), capture_output=True, encoding="utf-8")
    if made.returncode:
        sys.exit(f"openapi-typescript failed. Run `npm ci` in web/ first.\n{made.stderr}")
    return made.stdout


def _answered(document: dict[str, Any]) -> set[str]:
    """Names of the schemas that answers consist of: an answer has every field, even one that a request may leave out."""
    schemas = document["components"]["schemas"]
    found: set[str] = set()
    waiting = [
        operation["responses"] for methods in document["paths"].values() for operation in methods.values()
    ]
    while waiting:
        names = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(waiting.pop()))) - found
        found |= names
        waiting += [schemas[name] for name in names]
    return found


if __name__ == "__main__":
    TYPES.write_text(generated(), encoding="utf-8")
