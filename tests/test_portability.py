"""Windows has no fork, few signals, and text files that are not UTF-8 by default: checked by reading the code."""

import ast
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
FILES = sorted(path for package in ("engine", "movegen", "perft") for path in (PROJECT / package).rglob("*.py"))

POSIX_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
POSIX_NAMES = {
    "os": {
        *("fork", "forkpty", "openpty", "posix_spawn", "setsid", "setpgid", "killpg", "wait", "wait3", "wait4"),
        *(
            "getuid",
            "geteuid",
            "getgid",
            "getegid",
            "getpgid",
            "getpgrp",
            "chown",
            "fchown",
            "fchmod",
            "mkfifo",
            "mknod",
        ),
        *("sched_getaffinity", "sched_setaffinity", "nice", "uname", "getloadavg", "sysconf", "statvfs", "sync"),
        *("pread", "pwrite", "sendfile", "set_blocking"),
    },
    "signal": {
        *("SIGHUP", "SIGKILL", "SIGQUIT", "SIGPIPE", "SIGALRM", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGUSR1"),
        *("SIGUSR2", "SIGWINCH", "alarm", "setitimer", "pause", "pthread_kill", "pthread_sigmask", "sigwait"),
    },
    "select": {"poll", "epoll", "kqueue", "select"},  # on Windows only of sockets
}
POSIX_ARGUMENTS = {"preexec_fn", "pass_fds"}
GUARDS = {"hasattr", "os.name", "sys.platform", "ImportError"}


def names_in(node):
    """The names and dotted names in a piece of code."""
    found = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
    return found | {ast.unparse(child) for child in ast.walk(node) if isinstance(child, ast.Attribute)}


def posix_uses(tree):
    """What Windows lacks, each with the function in which it is used."""
    for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]:
        for node in own_nodes(scope):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.attr in POSIX_NAMES.get(node.value.id, ()):
                    yield scope, node, ast.unparse(node)
            elif isinstance(node, ast.Import):
                yield from ((scope, node, alias.name) for alias in node.names if alias.name in POSIX_MODULES)
            elif isinstance(node, ast.ImportFrom):
                lacking = POSIX_NAMES.get(node.module, set())
                taken = {alias.name for alias in node.names}
                if node.module in POSIX_MODULES or taken & lacking:
                    yield scope, node, ast.unparse(node)
            elif isinstance(node, ast.keyword) and node.arg in POSIX_ARGUMENTS:
                yield scope, node.value, node.arg


def own_nodes(scope):
    """The nodes of a function or module without those of the functions inside."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef):
            waiting.extend(ast.iter_child_nodes(node))


def unguarded(source):
    """Uses of what Windows lacks in functions that do not ask whether it is there."""
    tree = ast.parse(source)
    guards = set(GUARDS)
    for node in tree.body:  # CAN_DO = hasattr(os, "do")
        if isinstance(node, ast.Assign) and names_in(node.value) & GUARDS:
            guards |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return [f"line {node.lineno}: {what}" for scope, node, what in posix_uses(tree) if not names_in(scope) & guards]


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        ("import os\ndef f():\n    os.fork()", True),
        ("import os\ndef f():\n    if hasattr(os, 'fork'):\n        os.fork()", False),
        ("def f():\n    import fcntl", True),
        ("def f():\n    try:\n        import fcntl\n    except ImportError:\n        pass", False),
        ("from resource import getrusage", True),
        ("import signal\nCAN = hasattr(signal, 'alarm')\ndef f():\n    if CAN:\n        signal.alarm(1)", False),
        ("import signal\nsignal.signal(signal.SIGHUP, print)", True),
        ("import subprocess\nsubprocess.Popen([], preexec_fn=print)", True),
        ("import os\nos.getpid()", False),
    ],
)
def test_the_check_finds_what_windows_lacks(source, is_found):
    assert bool(unguarded(source)) == is_found


@pytest.mark.thorough
def test_what_windows_lacks_is_asked_for_first():
    assert {str(path): found for path in FILES if (found := unguarded(path.read_text(encoding="utf-8")))} == {}


def calls(tree, *names):
    """Calls of functions or methods with these names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in names:
                yield node


@pytest.mark.thorough
def test_processes_are_spawned_on_every_system():
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for call in calls(tree, "get_context", "set_start_method"):
            assert [ast.literal_eval(argument) for argument in call.args] == ["spawn"], path
        for call in calls(tree, "ProcessPoolExecutor"):
            assert "get_context('spawn')" in ast.unparse(call), path
        imported = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "multiprocessing"
            for alias in node.names
        }
        assert not imported & {"Process", "Pool", "Queue", "Pipe", "Manager"}, path
        whole = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
        assert "multiprocessing" not in {alias.name for node in whole for alias in node.names}, path


def test_text_files_have_an_encoding():
    """Without one, Windows takes that of the system, which lacks most letters."""
    for path in FILES:
        for call in calls(ast.parse(path.read_text(encoding="utf-8")), "read_text", "write_text"):
            assert "utf-8" in ast.unparse(call) or "ascii" in ast.unparse(call), f"{path}, line {call.lineno}"


def test_pipes_have_an_encoding():
    """Likewise; `text=True` alone is that of the system."""
    for path in FILES:
        for call in calls(ast.parse(path.read_text(encoding="utf-8")), "Popen", "run", "check_output"):
            named = {keyword.arg for keyword in call.keywords}
            assert "encoding" in named or not named & {"text", "universal_newlines"}, f"{path}, line {call.lineno}"


def test_commands_are_split_as_their_system_does_it():
    """`shlex` drops the backslashes of folders on Windows."""
    users = {path.name for path in FILES if "import shlex" in path.read_text(encoding="utf-8")}
    assert users == {"command_text.py"}
