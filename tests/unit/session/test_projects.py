"""Which project a folder belongs to."""

from __future__ import annotations

import pytest

from ingrained.session.projects import display_name, normal_folder, normal_remote, resolve


def none(_: str) -> str:
    return ""


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Acme/Shop.git",
        "https://dana:hush@github.com/acme/shop",
        "git@github.com:acme/shop.git",
        "ssh://git@github.com:22/acme/shop.git/",
        "github.com:acme/shop",
        " git://github.com/acme/shop.git\n",
    ],
)
def test_one_spelling_for_a_remote(url: str) -> None:
    assert normal_remote(url) == "github.com/acme/shop"


@pytest.mark.parametrize("url", ["", "/srv/git/shop.git", "../shop", "file:///srv/shop.git", "C:/git/shop"])
def test_a_local_path_is_no_remote(url: str) -> None:
    assert normal_remote(url) == ""


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("/home/dana/src/shop/", "/home/dana/src/shop"),
        ("/home/dana/src/shop/.worktrees/dev1/topic", "/home/dana/src/shop"),
        ("/home/dana/src/shop/.claude/worktrees/x/sub", "/home/dana/src/shop"),
        ("c:\\Users\\dana\\src\\shop", "C:/Users/dana/src/shop"),
        ("C:\\Users\\dana\\src\\shop\\.worktrees\\1", "C:/Users/dana/src/shop"),
        ("/", "/"),
        ("/a//b", "/a/b"),
    ],
)
def test_one_spelling_for_a_folder(path: str, folder: str) -> None:
    assert normal_folder(path) == folder


def test_the_shortest_seen_folder_that_holds_it() -> None:
    seen = [
        "/home/dana/src/shop/api",
        "/home/dana/src/shop",
        "/home/dana/src/shop/.worktrees/1/web",
        "/home/dana/src/shop2",
    ]
    assert resolve(seen, remote_of=none) == {
        "/home/dana/src/shop/api": "dir:/home/dana/src/shop",
        "/home/dana/src/shop": "dir:/home/dana/src/shop",
        "/home/dana/src/shop/.worktrees/1/web": "dir:/home/dana/src/shop",
        "/home/dana/src/shop2": "dir:/home/dana/src/shop2",
    }


@pytest.mark.parametrize(
    "ground",
    [
        "/",
        "/home",
        "/home/dana",
        "/Users/dana",
        "/root",
        "/tmp",
        "C:\\Users\\dana",
        "/home/dana/src",
        "/Users/dana/Code",
    ],
)
def test_a_home_swallows_no_project(ground: str) -> None:
    shop = "C:/Users/dana/src/shop" if ground.startswith("C:") else f"{ground.rstrip('/')}/src/shop"
    projects = resolve([ground, shop], remote_of=none)
    assert projects[shop] == f"dir:{shop}"
    assert projects[ground] == f"dir:{normal_folder(ground)}"


def test_the_remote_wins_where_the_folder_still_exists() -> None:
    remotes = {"/a/shop": "git@github.com:acme/shop.git", "/b/clone": "https://github.com/acme/shop"}
    projects = resolve(["/a/shop", "/b/clone", "/gone/shop"], remote_of=lambda cwd: remotes.get(cwd, ""))
    assert projects["/a/shop"] == projects["/b/clone"] == "git:github.com/acme/shop"
    assert projects["/gone/shop"] == "dir:/gone/shop"


def test_merges_of_the_config() -> None:
    merged = {"shop": ["/home/dana/src/shop", "C:\\work\\shop", "github.com/acme/shop"]}
    remotes = {"/x": "git@github.com:acme/shop.git"}
    cwds = ["/home/dana/src/shop/api", "c:/WORK/shop", "/x", "/home/dana/src/shopping"]
    projects = resolve(cwds, remote_of=lambda cwd: remotes.get(cwd, ""), merged=merged)
    assert [projects[cwd] for cwd in cwds] == ["name:shop", "name:shop", "name:shop", "dir:/home/dana/src/shopping"]


def test_the_order_of_folders_does_not_matter() -> None:
    seen = ["/a/b/c", "/a/b", "/a/b/d/e", "/a/bb"]
    assert resolve(seen, remote_of=none) == resolve(reversed(seen), remote_of=none)


def test_windows_folders_are_compared_without_case() -> None:
    assert (
        resolve(["C:\\Work\\Shop", "c:\\work\\shop\\api"], remote_of=none)["c:\\work\\shop\\api"] == "dir:C:/Work/Shop"
    )


def test_no_folder_at_all() -> None:
    assert resolve([""], remote_of=none) == {"": "dir:"}


@pytest.mark.parametrize(
    ("project", "name"),
    [
        ("git:github.com/acme/shop", "acme/shop"),
        ("dir:/home/dana/src/shop", "shop"),
        ("dir:C:/Users/dana/shop", "shop"),
        ("name:shop", "shop"),
        ("dir:", "(no folder)"),
    ],
)
def test_display_names(project: str, name: str) -> None:
    assert display_name(project) == name  # type: ignore[arg-type]
