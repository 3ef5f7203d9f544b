# SPDX-License-Identifier: LGPL-2.1-or-later
"""openapi.json of fasp-relay, against what the relay does."""

import json
import re
import urllib.parse
import uuid


class Description:
    """openapi.json: whether answers are as it says, and whether each of its paths and fields was met."""

    TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
             "null": type(None)}

    def __init__(self, document):
        self.document, self.met, self.fields, self.codes = document, set(), set(), set()

    def resolve(self, part):
        while "$ref" in part:
            at = self.document
            for name in part["$ref"].split("/")[1:]:
                at = at[name]
            part = at
        return part

    def check(self, schema, value, where):
        if "oneOf" in schema:
            schema = next(s for s in schema["oneOf"] if (s.get("type") == "null") == (value is None))
        name = schema.get("$ref", "").split("/")[-1]
        schema = self.resolve(schema)
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        assert any(isinstance(value, self.TYPES[t]) and not (isinstance(value, bool) and t in ("integer", "number"))
                   for t in types), (where, value, types)
        if "enum" in schema:
            assert value in schema["enum"], (where, value)
        if schema.get("format") == "uuid":
            assert str(uuid.UUID(value)) == value, (where, value)
        if isinstance(value, dict) and "properties" in schema:
            assert set(value) == set(schema["properties"]) == set(schema["required"]), (where, value)
            self.fields |= {(name, field) for field in value}
            for field, inner in value.items():
                self.check(schema["properties"][field], inner, f"{where}.{field}")
        for inner in value if isinstance(value, list) else []:
            self.check(schema["items"], inner, where)

    def find(self, method, path):
        for pattern, methods in self.document["paths"].items():
            if re.fullmatch(re.sub(r"{\w+}", "[^/]+", pattern), path) and method.lower() in methods:
                return methods[method.lower()]
        return None

    def ask(self, relay, method, path, body=None, want=None):
        """Asks, and checks the answer against the document."""
        code, headers, answer = relay.ask(method, path, body)
        operation = self.find(method, "/api/v1" + path)
        assert operation, (method, path, "is not described")
        assert want in (None, code), (method, path, body, code, answer)
        assert str(code) in operation["responses"], (method, path, code, answer, "is not described")
        response = self.resolve(operation["responses"][str(code)])
        assert all(name in headers for name in response.get("headers", ())), (method, path, headers)
        if "content" in response:
            self.check(response["content"]["application/json"]["schema"], answer, f"{method} {path}")
        else:
            assert answer is None, answer
        if code >= 400:
            self.codes.add(answer["code"])
        if code < 300:
            self.met.add(operation["operationId"])
            sent = operation.get("requestBody")
            if body and sent:
                schema = sent["content"]["application/json"]["schema"]
                self.fields |= {(schema["$ref"].split("/")[-1], field) for field in body}
        if code == 201:
            made = urllib.parse.urljoin(path, headers["Location"])
            assert made.startswith(path) and relay.ask("GET", made)[0] == 200, (path, headers["Location"])
        return answer

    def get(self, relay, path, want=200):
        """What the relay's page asks for, checked against the document."""
        code, headers, text = relay.get(path)
        operation = self.find("GET", path)
        assert operation and code == want and str(code) in operation["responses"], (path, code, text)
        if code == 200:
            (kind, content), = operation["responses"]["200"]["content"].items()
            assert headers["Content-Type"] == kind, (path, headers["Content-Type"])
            text = json.loads(text) if kind == "application/json" else text
            self.check(content["schema"], text, path)
            self.met.add(operation["operationId"])
        return text if code == 200 else None

    def left(self, prefix):
        """Operations of paths with that prefix that were not met, and fields of what they take and answer."""
        paths = [methods for path, methods in self.document["paths"].items() if path.startswith(prefix)]
        operations = {o["operationId"] for methods in paths for o in methods.values()
                      if isinstance(o, dict) and "operationId" in o}
        names, new = set(), self.names(paths)
        while new:
            names |= new
            new = self.names([self.document["components"]["schemas"][name] for name in new]) - names
        fields = {(name, field) for name in names for field in self.document["components"]["schemas"][name].get("properties", ())}
        return operations - self.met, fields - self.fields

    def names(self, part):
        """Schemas that a part of the document names."""
        text = json.dumps(part)
        for response in re.findall(r"#/components/responses/(\w+)", text):
            text += json.dumps(self.document["components"]["responses"][response])
        return set(re.findall(r"#/components/schemas/(\w+)", text))
