"""The host's serial console: what is written to it comes back, while its daemon is not silent."""

import socket

from gi.repository import GLib

from daemon import Daemon
from interfaces import whole

CONSOLE = '/xyz/openbmc_project/console/default'


class Console(Daemon):
    """It has no ObjectManager, like obmc-console."""

    def __init__(self):
        super().__init__(whole('Console.default'))
        self.lines = {}
        self.add(CONSOLE, {'Console.Access': {}, 'Console.UART': {}})
        self.answer('Console.Access', Connect=self._connect)

    def stop(self):
        for line in list(self.lines):
            self._end(line)
        super().stop()

    def _connect(self, _):
        ours, its = socket.socketpair()
        ours.setblocking(False)
        ours.send(b'openbmc-sim login: ')
        self.lines[ours] = GLib.io_add_watch(ours.fileno(), GLib.IO_IN | GLib.IO_HUP, lambda *_: self._heard(ours))
        return its.detach()

    def _heard(self, line):
        """A silent one reads no more of what is written."""
        if self.is_silent:
            self.lines[line] = None
            return False
        try:
            written = line.recv(4096)
            line.send(written)
        except OSError:
            written = b''
        if not written:
            self.lines[line] = None
            self._end(line)
        return bool(written)

    def _end(self, line):
        watch = self.lines.pop(line)
        if watch is not None:
            GLib.source_remove(watch)
        line.close()
