"""Applies the system-call filter of a systemd unit to a command: seccomp.py ALLOW DENY ACTION COMMAND..., names separated by commas.
ACTION is what a call outside the filter does: "kill" the process, or fail with "EPERM"."""
import ctypes, os, sys

ACTIONS = {"kill": 0x80000000, "EPERM": 0x00050001}
ALLOW = 0x7FFF0000
seccomp = ctypes.CDLL("libseccomp.so.2")
seccomp.seccomp_init.restype = ctypes.c_void_p
allowed = set(sys.argv[1].split(",")) - set(sys.argv[2].split(","))
context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(ACTIONS[sys.argv[3]])))
for name in sorted(allowed | {"execve"}):
    number = seccomp.seccomp_syscall_resolve_name(name.encode())
    # Calls that this processor does not have are negative.
    if number >= 0:
        seccomp.seccomp_rule_add(context, ctypes.c_uint32(ALLOW), ctypes.c_int(number), ctypes.c_uint(0))
assert ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) == 0
assert seccomp.seccomp_load(context) == 0
os.execvp(sys.argv[4], sys.argv[4:])
