import llvmlite.binding as llvm
import pytest

from movegen.compiler import cpu


@pytest.mark.parametrize(
    ("name", "bmi2", "expected"),
    [
        ("znver3", True, True),
        ("znver2", True, False),
        ("znver1", True, False),
        ("bdver4", True, False),
        ("haswell", True, True),
        ("ivybridge", False, False),
        ("cortex-a72", None, False),
    ],
)
def test_pext_is_used_where_it_is_quick(monkeypatch, name, bmi2, expected):
    features = {} if bmi2 is None else {"bmi2": bmi2}
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: features)
    monkeypatch.setattr(llvm, "get_host_cpu_name", lambda: name)
    assert cpu.has_fast_pext() is expected


@pytest.mark.parametrize(("value", "expected"), [(None, False), ("", False), ("0", False), ("1", True), ("yes", True)])
def test_an_environment_variable_forces_the_portable_path(monkeypatch, value, expected):
    if value is None:
        monkeypatch.delenv(cpu.PORTABLE_VARIABLE, raising=False)
    else:
        monkeypatch.setenv(cpu.PORTABLE_VARIABLE, value)
    assert cpu.portable_forced() is expected
