"""What prove writes satisfies provers/certificate.schema.json; with a member taken away, added or of another
kind it does not. Called by ctest: PROGRAM SCHEMA CASES FOLDER. Exit 77: not tested, no jsonschema here."""
import copy
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
    validator_class = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    print("skipped: no Python package jsonschema that knows draft 2020-12 here")
    sys.exit(77)

program, schema_path, cases, folder = sys.argv[1:]
schema = json.loads(pathlib.Path(schema_path).read_text())
validator_class.check_schema(schema)
validator = validator_class(schema)
failures = []


def expect(valid, certificate, what):
    if validator.is_valid(certificate) != valid:
        failures.append(f"{what}: {'refused' if valid else 'accepted'} by the schema")


# Every member of these objects is required, and no other is allowed.
def objects(certificate):
    yield ()
    yield ("claim",)
    yield ("evidence",)
    if certificate["kind"] == "class":
        yield ("claim", "class")
        yield ("claim", "class", "box")
    if certificate["kind"] == "tail":
        yield ("claim", "box")
    if certificate["kind"] == "value":
        yield ("claim", "inputs")


def at(certificate, path):
    for key in path:
        certificate = certificate[key]
    return certificate


subprocess.run([program, "prove", cases, "--force", "-o", folder], check=True, stdout=subprocess.DEVNULL)
paths = sorted(pathlib.Path(folder, "certificates").glob("*.json"))
kinds = set()
edits = 0
for path in paths:
    certificate = json.loads(path.read_text())
    kinds.add(certificate["kind"])
    expect(True, certificate, path.name)
    for where in objects(certificate):
        for key in at(certificate, where):
            for change in ("removed", "a number"):
                if change == "a number" and (where, key) == ((), "schema"):
                    continue
                # Optional: a certificate without it is another one.
                if change == "removed" and (key in ("analytic", "factor", "n/d", "theta[1]", "theta[2]")
                                            or key.startswith("band[1]")):
                    continue
                edited = copy.deepcopy(certificate)
                if change == "removed":
                    del at(edited, where)[key]
                else:
                    at(edited, where)[key] = 0.5
                expect(False, edited, f"{path.name}, {'/'.join(where + (key,))} {change}")
                edits += 1
        edited = copy.deepcopy(certificate)
        at(edited, where)["extra"] = "1"
        expect(False, edited, f"{path.name}, extra member in {'/'.join(where) or 'the certificate'}")
        edits += 1
    for key, value in (("kind", "tails"), ("theorem", "2.2"), ("digest", "0"), ("schema", 2)):
        expect(False, dict(certificate, **{key: value}), f"{path.name}, {key} = {value}")
        edits += 1

if kinds != {"value", "tail", "boundary", "class", "layers"}:
    failures.append(f"only certificates of {sorted(kinds)} were written")
print(f"{len(paths)} certificates, {edits} edits, {len(failures)} failures")
print("\n".join(failures[:40]))
sys.exit(1 if failures else 0)
