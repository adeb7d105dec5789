"""How files are read and written, where the home folder is, and who may write in it at the moment.

Every file of ours, and every file of the person's that `install` changes, goes through `write_atomic`: a reader sees
the old bytes or the new ones, whole, after a kill or a power cut too. The last component of a path is never followed
when it is a symbolic link: whoever wants to write through a link resolves it first and says so.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import socket
import stat
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from ingrained.errors import ConfigError, StoreError
from ingrained.store.faults import point, register

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

register("files", "temporary", "written", "synced", "replaced")
register("lock", "created", "takeover")

LOCK_NAME: Final = "lock"
OTHER_HOST_S: Final = 35 * 60
"""Age in seconds at which a lock that another machine left counts as forgotten: its process cannot be asked."""

_SUFFIX: Final = ".ingrained-tmp"
_UNREADABLE_S: Final = 2.0
_POLL_S: Final = 0.05
_NO_FOLLOW: Final[int] = getattr(os, "O_NOFOLLOW", 0)
_BINARY: Final[int] = getattr(os, "O_BINARY", 0)
_NON_BLOCK: Final[int] = getattr(os, "O_NONBLOCK", 0)


class FileError(StoreError, OSError):
    """A file could not be read or written; `errno` says why, as for any `OSError`."""


def file_error(doing: str, path: Path, error: OSError) -> FileError:
    """The error to raise when `doing` (`write`, `read`…) `path` failed with `error`: what, where, and the way out."""
    made = FileError(f"cannot {doing} {str(path)!r}: {error.strerror or error}", hint=way_out(error.errno))
    # With `strerror` set too, `str()` would tell the errno instead of the message.
    made.errno = error.errno
    return made


def way_out(code: int | None) -> str:
    """What to do about an `errno`, in one sentence."""
    if code in {errno.ENOSPC, errno.EDQUOT}:
        return "free some disk space and run the same command again; what was there before is whole"
    if code in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return "make the folder writable for you, or choose another one with --home DIR"
    if code in {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL}:
        return "choose another folder, such as with --home DIR; ingrained doctor says where things lie"
    return "run the same command again; ingrained doctor says where things lie"


def home_dir(explicit: str | Path | None = None, env: Mapping[str, str] | None = None) -> Path:
    """The folder of everything that the program owns: `--home`, else `INGRAINED_HOME`, else the user's data folder.

    The path is absolute and free of links, so that one ledger has one name. Nothing is created.

    Raises:
        ConfigError: no place was given and the system names no home for this user.
    """
    env = os.environ if env is None else env
    chosen = str(explicit) if explicit is not None else env.get("INGRAINED_HOME", "")
    try:
        if chosen:
            return Path(chosen).expanduser().resolve()
        import platformdirs

        return Path(platformdirs.user_data_dir("ingrained", appauthor=False)).expanduser().resolve()
    except (RuntimeError, OSError) as error:
        raise ConfigError(
            f"cannot tell where the home folder is ({chosen or 'none given'!r}): {error}",
            hint="name one with --home DIR or INGRAINED_HOME",
        ) from error


def make_home(home: Path) -> Path:
    """Create the home folder, readable by its owner alone, unless it is there; returns it.

    Raises:
        StoreError: a file stands in its place, or it cannot be created or written.
    """
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise StoreError(
            f"the home folder {str(home)!r} is a file", hint="move it away, or choose another one with --home DIR"
        ) from None
    except OSError as error:
        raise file_error("create the home folder", home, error) from error
    if not os.access(home, os.W_OK | os.X_OK):
        raise file_error(
            "write in the home folder", home, PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(home))
        )
    return home


def read_bytes_or_none(path: Path) -> bytes | None:
    """All bytes of a regular file, `None` where there is none. A link is followed; a FIFO or device is not read.

    Raises:
        FileError: it is no regular file, or it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _BINARY | _NON_BLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise file_error("read", path, error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise file_error("read", path, OSError(errno.EINVAL, "not a regular file", str(path)))
    with os.fdopen(descriptor, "rb") as file:
        try:
            return file.read()
        except OSError as error:
            raise file_error("read", path, error) from error


def write_atomic(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Replace the content of `path` by `data`, whole or not at all; on disk when this returns.

    A temporary file beside it is written, synced and renamed over it, then the folder is synced. What a killed writer
    left for the same target is removed first. The folder has to exist.

    Args:
        path: the file. Links in its folders are followed; where `path` itself is a link, nothing is written.
        data: the new content.
        mode: permission bits; `None` keeps those of the file, and takes what the umask allows for a new one.

    Raises:
        FileError: the disk is full, a permission is missing, or `path` is a link or no regular file. The old bytes
            are untouched and no temporary file stays.
    """
    try:
        before = _permissions(path)
        _sweep(path)
        temporary = path.with_name(f"{_stem(path)}.{os.getpid()}-{secrets.token_hex(4)}{_SUFFIX}")
        try:
            _fill(temporary, data, mode if mode is not None else before)
            _replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
    except FileError:
        raise
    except OSError as error:
        raise file_error("write", path, error) from error


def _permissions(path: Path) -> int | None:
    try:
        found = path.lstat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found):
        what = "a symbolic link, which is not followed" if stat.S_ISLNK(found) else "not a regular file"
        raise file_error("write", path, OSError(errno.ELOOP if stat.S_ISLNK(found) else errno.EINVAL, what, str(path)))
    return stat.S_IMODE(found)


def _fill(temporary: Path, data: bytes, mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
    descriptor = os.open(temporary, flags, 0o666 if mode is None else 0o600)
    with os.fdopen(descriptor, "wb") as file:
        point("files.temporary")
        file.write(data)
        file.flush()
        point("files.written")
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())
    point("files.synced")


def _replace(temporary: Path, path: Path) -> None:
    """Rename over the target. On Windows a reader that has it open makes that fail for a moment: tried again."""
    for attempt in range(20):
        try:
            temporary.replace(path)
            break
        except OSError as error:
            if getattr(error, "winerror", None) not in {5, 32, 33} or attempt == 19:
                raise
            time.sleep(0.01 * (attempt + 1))
    point("files.replaced")


def sync_folder(folder: Path) -> None:
    """Make renames and removals in the folder last through a power cut (nothing to do on Windows)."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _stem(path: Path) -> str:
    """Start of the temporary names of one target, within the 255 bytes that a file name may have."""
    name = os.fsencode(path.name)[:200]
    return "." + os.fsdecode(name)


def _sweep(path: Path) -> None:
    """Remove temporary files of dead processes for this target."""
    start = _stem(path) + "."
    for entry in os.scandir(path.parent):
        if entry.name.startswith(start) and entry.name.endswith(_SUFFIX):
            pid = entry.name[len(start) :].partition("-")[0]
            if pid.isascii() and pid.isdigit() and not _alive(int(pid)):
                Path(entry.path).unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    """Whether a process of that id runs here; where that cannot be asked (Windows), it is taken to run."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who holds a lock."""

    pid: int
    host: str
    start: str
    """When the process began, as the system tells it: another process with the same id has another start."""
    since: float
    """Seconds since the epoch at which it was taken."""
    what: str
    """The command that holds it."""
    token: str

    def __str__(self) -> str:
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.since))
        return f"`{self.what}` (process {self.pid} on {self.host}, since {since})"


class HomeLock:
    """One writer at a time in a home folder; a context manager.

    The lock is a file with the holder's process id, host and start time, so a lock of a dead process, of a reused
    process id, or one of another machine that is older than 35 minutes is taken over. Waiting is measured by a clock
    that never jumps.
    """

    def __init__(
        self, home: Path, *, what: str = "ingrained", wait_s: float = 60.0, say: Callable[[str], None] | None = None
    ) -> None:
        """`what` names the command for others to read; `say` gets one message when waiting begins.

        Nothing is taken before the `with` block begins. The home folder is created if it is missing.
        """
        self.path = home / LOCK_NAME
        self._wait_s = wait_s
        self._say = say
        self._me = Holder(
            pid=os.getpid(),
            host=socket.gethostname(),
            start=_start_of(os.getpid()),
            since=time.time(),
            what=what,
            token=secrets.token_hex(8),
        )

    def __enter__(self) -> HomeLock:
        """Take the lock.

        Raises:
            StoreError: somebody else held it for `wait_s` seconds (the message says who), this process holds it
                already, or the home folder cannot be written.
        """
        make_home(self.path.parent)
        deadline = time.monotonic() + self._wait_s
        said = False
        while not self._create():
            holder = self._holder()
            if self._stale(holder):
                self._take_over()
                continue
            if holder is not None and holder.pid == self._me.pid and holder.start == self._me.start:
                raise StoreError(f"{str(self.path)!r} is already held by this process ({holder})")
            if time.monotonic() >= deadline:
                raise StoreError(
                    f"the home folder {str(self.path.parent)!r} is in use by {holder or 'another process'}",
                    hint=f"wait for it to end, or stop it; if it is gone for good, delete {str(self.path)!r}",
                )
            if self._say is not None and not said:
                self._say(f"waiting for {holder or 'another process'} to finish")
                said = True
            time.sleep(_POLL_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the lock back, unless somebody took it over meanwhile."""
        holder = self._holder()
        if holder is not None and holder.token == self._me.token:
            self.path.unlink(missing_ok=True)

    def _create(self) -> bool:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
        try:
            descriptor = os.open(self.path, flags, 0o600)
        except FileExistsError:
            return False
        except OSError as error:
            raise file_error("create", self.path, error) from error
        try:
            point("lock.created")
            os.write(descriptor, json.dumps(asdict(self._me)).encode())
        except OSError as error:
            self.path.unlink(missing_ok=True)
            raise file_error("write", self.path, error) from error
        finally:
            os.close(descriptor)
        return True

    def _holder(self) -> Holder | None:
        data = read_bytes_or_none(self.path)
        try:
            return Holder(**json.loads(data)) if data else None
        except (ValueError, TypeError):
            return None

    def _stale(self, holder: Holder | None) -> bool:
        try:
            age = abs(time.time() - self.path.lstat().st_mtime)
        except FileNotFoundError:
            return False
        if holder is None:
            # Being written at this moment, or cut off between creation and writing.
            return age > _UNREADABLE_S
        if holder.host != self._me.host:
            return age > OTHER_HOST_S
        if not _alive(holder.pid):
            return True
        start = _start_of(holder.pid)
        return bool(start and holder.start and start != holder.start)

    def _take_over(self) -> None:
        """Remove a stale lock. Two that find it at once must not remove each other's new one: one at a time looks."""
        try:
            with _guard(self.path.with_name(f"{LOCK_NAME}.guard")):
                if self._stale(self._holder()):
                    point("lock.takeover")
                    self.path.unlink(missing_ok=True)
        except OSError as error:
            raise file_error("take over", self.path, error) from error


@contextlib.contextmanager
def _guard(path: Path) -> Generator[None, None, None]:
    """A lock of the kernel's, gone with its process; taken only for the moment of a takeover."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW, 0o600)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _start_of(pid: int) -> str:
    """When a process began: boot id and clock ticks on Linux, what `ps` says elsewhere, empty where unknown."""
    if Path("/proc/self/stat").exists():
        try:
            boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
            stat_line = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            return ""
        # The command name may hold spaces and brackets; fields are counted after its last bracket.
        return f"{boot}:{stat_line.rpartition(b')')[2].split()[19].decode('ascii')}"
    if os.name == "nt":
        return ""
    import subprocess

    try:
        told = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told.stdout.decode("ascii", "replace").strip()
