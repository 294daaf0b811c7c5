"""The event log, and dumps."""

import os
import tempfile

from daemon import Daemon, Refused
from interfaces import INTERFACES, whole
from state import now

LOG = '/xyz/openbmc_project/logging'
DUMPS = '/xyz/openbmc_project/dump'
ENTRY = whole('Logging.Entry')
MOST = 200


class Log(Daemon):
    def __init__(self):
        super().__init__(whole('Logging'), managers=[LOG])
        self.last = 0
        self.add(LOG, {'Logging.Create': {}, 'Collection.DeleteAll': {}})
        self.answer('Logging.Create', Create=self._create)
        self.answer('Logging.Entry', GetEntry=lambda path: file_of(f'{path}\n'))
        self.answer('Collection.DeleteAll', DeleteAll=lambda _: self._clear(0))
        self.answer('Object.Delete', Delete=self.remove)
        self.guard('Logging.Entry', Resolved=self._resolve)
        self._create(LOG, 'xyz.openbmc_project.State.Error.Started', f'{ENTRY}.Level.Informational', {'BOOT': '1'})

    def _create(self, _, message, severity, data):
        if not INTERFACES[ENTRY].properties['Severity'].has(severity):
            raise Refused('sdbusplus.Error.InvalidEnumString', f'There is no severity {severity}')
        self.last += 1
        time = now(1000)
        path = f'{LOG}/entry/{self.last}'
        entry = {'Id': self.last, 'Timestamp': time, 'UpdateTimestamp': time, 'Severity': severity, 'Message': message}
        self.add(path, {
            'Logging.Entry': {**entry, 'AdditionalData': data},
            'Association.Definitions': {},
            'Object.Delete': {},
            'Software.Version': {'Version': '2.14.0', 'Purpose': 'BMC'},
            'Common.FilePath': {'Path': f'/var/lib/phosphor-logging/errors/{self.last}'},
        })
        self._clear(MOST)
        return path

    def _clear(self, kept):
        entries = [path for path in self.objects if path != LOG]
        for path in entries[: len(entries) - kept]:
            self.remove(path)

    def _resolve(self, path, is_resolved):
        self.set(path, 'Logging.Entry', Resolved=is_resolved, UpdateTimestamp=now(1000))
        return False


class Dumps(Daemon):
    def __init__(self, simulator):
        super().__init__(whole('Dump.Manager'), managers=[DUMPS])
        self.simulator = simulator
        self.last = 0
        for kind in ('bmc', 'system'):
            self.add(f'{DUMPS}/{kind}', {'Dump.Create': {}, 'Collection.DeleteAll': {}})
        self.answer('Dump.Create', CreateDump=self._create)
        self.answer('Dump.Entry', GetFileHandle=lambda path: file_of(content(path)), InitiateOffload=self._offload)
        self.answer('Collection.DeleteAll', DeleteAll=self._clear)
        self.answer('Object.Delete', Delete=self.remove)

    def _create(self, path, _):
        self.last += 1
        entry = f'{path}/entry/{self.last}'
        self.add(entry, {
            'Dump.Entry': {},
            'Dump.Entry.BMC' if path.endswith('bmc') else 'Dump.Entry.System': {},
            'Time.EpochTime': {'Elapsed': now(1_000_000)},
            'Common.Progress': {'StartTime': now(1_000_000)},
            'Object.Delete': {},
        })

        def complete():
            if entry in self.objects:
                self.set(entry, 'Dump.Entry', Size=len(content(entry)))
                self.set(entry, 'Common.Progress', Status='Completed', CompletedTime=now(1_000_000))

        self.simulator.later(complete)
        return entry

    def _offload(self, path, uri):
        self.set(path, 'Dump.Entry', OffloadUri=uri, Offloaded=True)

    def _clear(self, path):
        for entry in [each for each in self.objects if each.startswith(f'{path}/entry/')]:
            self.remove(entry)


def content(path):
    return f'dump {path}\n' * 100


def file_of(text):
    """A descriptor of a file that can be read."""
    with tempfile.TemporaryFile('w+') as file:
        file.write(text)
        file.seek(0)
        return os.dup(file.fileno())
