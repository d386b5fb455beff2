"""Makes the calls that sdk-matrix-python.test.ts names, one a line on standard input, with Resend's Python SDK as it comes."""

import inspect
import json
import sys
import typing

import resend


class Anything(dict):
    """What a call that is refused whole is given: whatever the SDK needs before it makes the request."""

    def __missing__(self, name):
        return "x"


ANYTHING = Anything(email="x@example.com", emails=["x@example.com"], file="email\nx@example.com\n")


def calls(part, name):
    """Yields the name of each call of a class and of those inside it, and the one place where it is defined."""
    for key, value in vars(part).items():
        if key.startswith("_") or typing.is_typeddict(value):
            continue
        if isinstance(value, classmethod) and not key.endswith("_async"):
            yield f"{name}.{key}", f"{part.__module__}.{part.__qualname__}.{key}"
        elif inspect.isclass(value) and not issubclass(value, dict):
            yield from calls(value, f"{name}.{key}")


def anything_for(method):
    """Arguments for all that the method must have, and for the contact of calls that need one in any of two ways."""
    given = {}
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.default is inspect.Parameter.empty:
            given[name] = "x" if parameter.annotation is str else ANYTHING
        elif name == "contact_id":
            given[name] = "x"
    return given


def answer_to(call, arguments):
    method = resend
    for step in call.split("."):
        method = getattr(method, step)
    if arguments is None:
        arguments = anything_for(method)
    try:
        data = method(**arguments) if isinstance(arguments, dict) else method(*arguments)
        return {"data": {name: value for name, value in data.items() if name != "http_headers"}}
    except resend.exceptions.ResendError as error:
        return {"error": {"status": int(error.code), "name": error.error_type, "message": error.message}}


def main():
    parts = {name: part for name, part in vars(resend).items() if inspect.isclass(part)}
    found = [call for name, part in parts.items() if part.__module__.startswith("resend.") for call in calls(part, name)]
    print(json.dumps({"version": resend.version.get_version(), "calls": found}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(answer_to(request["call"], request["arguments"])), flush=True)


main()
