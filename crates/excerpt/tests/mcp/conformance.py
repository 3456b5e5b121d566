#!/usr/bin/env python3
"""Runs the conformance suite of the Model Context Protocol against the server.

usage: conformance.py BINARY FOLDER

FOLDER is where the suite is installed; if it is already there, it is not fetched again. The suite uses HTTP. It is run against `excerpt serve`, and against
`excerpt mcp`, to which `bridge.py` passes its messages. The whole suite runs for each transport and revision. A scenario in JUDGED must pass every check; one in LEFT_OUT only the check that each message is valid
by the schema of its revision. A scenario that is in neither, and an entry without effect, is an error. Scenarios of extensions are not run: the server has
none.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from bridge import Bridge
from fixture import REVISIONS, Judge, Project, Wrong

PACKAGE = "@modelcontextprotocol/conformance"
VERSION = "0.2.0-alpha.12"
# The dependencies of the suite are resolved as of this day.
DAY = "2026-11-01"

JUDGED = {
    "caching",
    "input-required-result-unsupported-methods",
    "ping",
    "resources-list",
    "sep-2164-resource-not-found",
    "server-initialize",
    "server-sse-multiple-streams",
    "server-stateless",
    "tools-list",
}

LEFT_OUT = {
    "completion-complete": "the server completes no arguments, and does not say that it does",
    "dns-rebinding-protection": "judges HTTP: hosts and origins are the bridge's",
    "elicitation-sep1034-defaults": "needs the tool test_elicitation_sep1034_defaults",
    "elicitation-sep1330-enums": "needs the tool test_elicitation_sep1330_enums",
    "http-custom-header-server-validation": "judges HTTP, and needs a tool with x-mcp-header",
    "http-header-validation": "judges HTTP: headers are the bridge's",
    "input-required-result-basic-elicitation": "needs the tool test_input_required_result_elicitation",
    "input-required-result-basic-list-roots": "needs the tool test_input_required_result_list_roots",
    "input-required-result-basic-sampling": "needs the tool test_input_required_result_sampling",
    "input-required-result-capability-check": "needs the tool test_input_required_result_capabilities",
    "input-required-result-ignore-extra-params": "needs the tool test_input_required_result_elicitation",
    "input-required-result-missing-input-response": "needs the tool test_input_required_result_elicitation",
    "input-required-result-multi-round": "needs the tool test_input_required_result_multi_round",
    "input-required-result-multiple-input-requests": "needs the tool test_input_required_result_multiple_inputs",
    "input-required-result-non-tool-request": "needs the prompt test_input_required_result_prompt",
    "input-required-result-request-state": "needs the tool test_input_required_result_request_state",
    "input-required-result-result-type": "needs the tool test_input_required_result_elicitation",
    "input-required-result-tampered-state": "needs the tool test_input_required_result_tampered_state",
    "input-required-result-validate-input": "needs the tool test_input_required_result_elicitation",
    "json-schema-2020-12": "needs the tool json_schema_2020_12_tool",
    "logging-set-level": "the server sends no log messages, and does not say that it does",
    "prompts-get-embedded-resource": "needs the prompt test_prompt_with_embedded_resource",
    "prompts-get-simple": "needs the prompt test_simple_prompt",
    "prompts-get-with-args": "needs the prompt test_prompt_with_arguments",
    "prompts-get-with-image": "needs the prompt test_prompt_with_image",
    "prompts-list": "the server has no prompts, and does not say that it has",
    "resources-read-binary": "needs the resource test://static-binary",
    "resources-read-text": "needs the resource test://static-text",
    "resources-subscribe": "the server has no subscriptions, and does not say that it has",
    "resources-templates-read": "needs the resource test://template/123/data",
    "resources-unsubscribe": "the server has no subscriptions, and does not say that it has",
    "server-session-lifecycle": "judges HTTP: sessions are the bridge's",
    "server-sse-polling": "judges HTTP, and needs the tool test_reconnection",
    "tools-call-audio": "needs the tool test_audio_content",
    "tools-call-elicitation": "needs the tool test_elicitation",
    "tools-call-embedded-resource": "needs the tool test_embedded_resource",
    "tools-call-error": "needs the tool test_error_handling",
    "tools-call-image": "needs the tool test_image_content",
    "tools-call-mixed-content": "needs the tool test_multiple_content_types",
    "tools-call-sampling": "needs the tool test_sampling",
    "tools-call-simple-text": "needs the tool test_simple_text",
    "tools-call-with-logging": "needs the tool test_tool_with_logging",
    "tools-call-with-progress": "needs the tool test_tool_with_progress",
}

# Checks in the scenarios of JUDGED.
CHECKS_LEFT_OUT = {
    "sep-2549-prompts-list-caching-hints": "the server has no prompts, and does not say that it has",
    "sep-2575-http-server-header-mismatch-400": "judges HTTP: headers are the bridge's",
    "sep-2575-http-server-no-independent-requests-on-stream": "needs the tool test_streaming_elicitation",
    "sep-2575-missing-capability-http-400": "needs the tool test_missing_capability",
    "sep-2575-server-no-log-without-loglevel": "needs the tool test_logging_tool",
    "sep-2575-server-rejects-undeclared-capability": "needs the tool test_missing_capability",
    "sep-2575-server-sends-tools-list-changed-on-subscription": "needs the tool test_trigger_tool_change; client.py judges it",
}

# What the bridge hides is judged over HTTP.
JUDGED_OVER_HTTP = JUDGED | {"dns-rebinding-protection", "http-header-validation"}
CHECKS_LEFT_OUT_OVER_HTTP = {check: reason for check, reason in CHECKS_LEFT_OUT.items() if not reason.startswith("judges HTTP")} | {
    "server-sse-multiple-streams-session": "the server has no sessions",
}

# The check that each message of the server is valid by the schema of its revision. The suite adds it to every scenario that uses its own client.
SCHEMA = "wire-schema-valid"


def program(name: str) -> str:
    """A program of Node: the one installed with this Python, or else that of this machine."""
    beside = pathlib.Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    return found or sys.exit(f"there is no `{name}`: install requirements.txt")


def installed(folder: pathlib.Path) -> pathlib.Path:
    """The pinned version of the suite, fetched if it is not there."""
    package = folder / "node_modules" / PACKAGE
    described = package / "package.json"
    if not described.exists() or json.loads(described.read_text())["version"] != VERSION:
        folder.mkdir(parents=True, exist_ok=True)
        command = [program("npm"), "install", "--prefix", folder, "--before", DAY, "--no-save", "--no-audit", "--no-fund", f"{PACKAGE}@{VERSION}"]
        path = f"{pathlib.Path(program('node')).parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(command, check=True, timeout=300, stdout=subprocess.DEVNULL, env={**os.environ, "PATH": path})
    return package / "dist" / "index.js"


def run(suite: pathlib.Path, url: str, revision: str) -> dict:
    """The checks of each scenario that the revision has."""
    with tempfile.TemporaryDirectory() as results:
        command = [program("node"), suite, "server", "--url", url, "--suite", "all", "--spec-version", revision, "--output-dir", results]
        # The exit code is ignored, since scenarios in LEFT_OUT may fail: only the written results count.
        printed = subprocess.run(command, capture_output=True, text=True, timeout=120)
        scenarios = {}
        for file in pathlib.Path(results).glob("server-*/checks.json"):
            # The folder is named after the scenario and the time, as 2026-01-31T23-59-59-999Z.
            name = file.parent.name.removeprefix("server-").rsplit("-", 6)[0]
            scenarios[name] = json.loads(file.read_text())
    if not scenarios:
        raise Wrong(f"the suite ran nothing:\n{printed.stdout[-2000:]}{printed.stderr[-2000:]}")
    return scenarios


def judge(revision: str, scenarios: dict, judge: Judge, left_out: set, judged: set = JUDGED, unjudged: dict = CHECKS_LEFT_OUT) -> None:
    """Evaluates every check. Failed checks that are left out are added to `left_out`."""
    unknown = scenarios.keys() - JUDGED - LEFT_OUT.keys()
    judge.check(f"{revision}: every scenario is judged or has a reason", not unknown, sorted(unknown))
    for name, checks in sorted(scenarios.items()):
        passed, unchecked = 0, 0
        for check in checks:
            failed = check["status"] in ("FAILURE", "WARNING")
            is_left_out = name not in judged and check["id"] != SCHEMA
            if failed and not is_left_out and check["id"] in unjudged:
                left_out.add(check["id"])
                is_left_out = True
                unchecked += 1
            if not is_left_out:
                judge.check(f"{revision}: {name}: {check['id']}", not failed, check.get("errorMessage") or check["status"])
                passed += check["status"] == "SUCCESS"
        if name in judged:
            judge.check(f"{revision}: {name}: something was checked", passed + unchecked > 0)
            print(f"{revision}  {name}: {passed} passed")


def compared(what: str, scenarios: dict, counted: Judge) -> None:
    """Checks that the messages were compared with the schema of the revision."""
    schemas = sum(check["id"] == SCHEMA for checks in scenarios.values() for check in checks)
    counted.check(f"{what}: messages were compared with the schema", schemas > len(scenarios) // 2, schemas)
    print(f"{what}  the answers in {schemas} of {len(scenarios)} scenarios compared with the schema")


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    suite = installed(pathlib.Path(sys.argv[2]).resolve())
    counted, seen, left_out, left_out_of_http = Judge(), set(), set(), set()
    try:
        for revision in REVISIONS:
            with Project(sys.argv[1]) as project:
                project.sync()
                with Bridge(project.command("--sync", "never"), project.environment) as bridge:
                    scenarios = run(suite, bridge.url, revision)
                counted.check(f"{revision}: what the bridge saw", not bridge.faults, bridge.faults)
                counted.check(f"{revision}: the suite asked the server", bridge.requests > len(scenarios), bridge.requests)
                judge(f"stdio {revision}", scenarios, counted, left_out)
                compared(f"stdio {revision}", scenarios, counted)
                seen |= scenarios.keys()
                with project.served("--no-token") as (address, _):
                    scenarios = run(suite, f"{address}/mcp", revision)
                judge(f"HTTP {revision}", scenarios, counted, left_out_of_http, JUDGED_OVER_HTTP, CHECKS_LEFT_OUT_OVER_HTTP)
                compared(f"HTTP {revision}", scenarios, counted)
            seen |= scenarios.keys()
        stale = (JUDGED | LEFT_OUT.keys()) - seen
        counted.check("every scenario that is named here was run", not stale, sorted(stale))
        stale = (CHECKS_LEFT_OUT.keys() - left_out) | (CHECKS_LEFT_OUT_OVER_HTTP.keys() - left_out_of_http)
        counted.check("every check that is left out fails; take out of the list those that pass", not stale, sorted(stale))
    except Wrong as wrong:
        sys.exit(f"conformance: {wrong}")
    print(f"{counted.checked} checks passed; left out: {len(LEFT_OUT)} scenarios and {len(left_out)} checks")


if __name__ == "__main__":
    main()
