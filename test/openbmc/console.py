"""The host's serial console: what is written to it comes back."""

import socket

from gi.repository import GLib

from daemon import Daemon
from interfaces import whole

CONSOLE = '/xyz/openbmc_project/console/default'


def console():
    daemon = Daemon(whole('Console.default'), managers=['/xyz/openbmc_project/console'])
    daemon.add(CONSOLE, {'Console.Access': {}, 'Console.UART': {}})

    def connect(_):
        ours, its = socket.socketpair()
        ours.send(b'openbmc-sim login: ')

        def heard(*_):
            written = ours.recv(4096)
            ours.send(written)
            if not written:
                ours.close()
            return bool(written)

        GLib.io_add_watch(ours.fileno(), GLib.IO_IN | GLib.IO_HUP, heard)
        return its.detach()

    daemon.answer('Console.Access', Connect=connect)
    return daemon
