"""Firmware: its versions, the one that runs, and updates."""

import hashlib
import os

from daemon import Daemon, Refused
from interfaces import INTERFACES, whole
from inventory import BMC, BOARD

SOFTWARE = '/xyz/openbmc_project/software'
APPLY = whole('Software.ApplyTime.RequestedApplyTimes')
PROGRESS = 0, 10, 40, 70, 100


class Software(Daemon):
    """An image that begins with `bad` is refused once it has been looked at."""

    def __init__(self, simulator):
        super().__init__(whole('Software.Manager'), managers=[SOFTWARE])
        self.simulator = simulator
        self.add(SOFTWARE, {'Association.Definitions': {}, 'Common.FactoryReset': {}})
        self.functional = self._put('2.14.0', 'BMC', 'Active', 0)
        other = self._put('2.12.1', 'BMC', 'Active', 1)
        self.add(other, {'Object.Delete': {}})
        self._allow(other)
        self.bios = self._put('BIOS-1.08', 'Host', 'Active', 0)
        self._allow(self.bios)
        self._associate()
        self.answer('Software.Update', StartUpdate=self._update)
        self.answer('Object.Delete', Delete=self._delete)
        self.answer('Common.FactoryReset', Reset=lambda _: simulator.note('FactoryReset'))
        self.guard('Software.Activation', RequestedActivation=self._requested)
        self.guard('Software.RedundancyPriority', Priority=self._prefer)

    def _put(self, version, purpose, activation, priority):
        path = f'{SOFTWARE}/{hashlib.sha256(f"{purpose}{version}".encode()).hexdigest()[:8]}'
        part = BOARD if purpose == 'Host' else BMC
        self.add(path, {
            'Software.Version': {'Version': version, 'Purpose': purpose},
            'Software.Activation': {'Activation': activation},
            'Association.Definitions': {'Associations': [('inventory', 'activation', part)]},
        })
        if priority is not None:
            self.add(path, {'Software.RedundancyPriority': {'Priority': priority}})
        return path

    def _allow(self, path):
        times = [f'{APPLY}.{name}' for name in ('Immediate', 'OnReset')]
        self.add(path, {'Software.Update': {'AllowedApplyTimes': times}})

    def _associate(self):
        active = [path for path in self._versions() if self.read(path, 'Software.Activation', 'Activation') == 'Active']
        self.set(SOFTWARE, 'Association.Definitions', Associations=[
            *[('functional', 'software_version', path) for path in (self.functional, self.bios)],
            *[('active', 'software_version', path) for path in active],
            *[('updateable', 'software_version', path) for path in active if self.has(path, 'Software.Update')],
        ])

    def _versions(self, purpose=None):
        paths = [path for path in self.objects if path != SOFTWARE]
        return [path for path in paths if purpose in (None, self.read(path, 'Software.Version', 'Purpose'))]

    def _bootable(self, purpose):
        return [path for path in self._versions(purpose) if self.has(path, 'Software.RedundancyPriority')]

    def _update(self, path, image, apply):
        descriptor = image.take()
        content = os.pread(descriptor, 4096, 0)
        os.close(descriptor)
        if not INTERFACES[whole('Software.ApplyTime')].properties['RequestedApplyTime'].has(apply):
            raise Refused('sdbusplus.Error.InvalidEnumString', f'There is no apply time {apply}')
        if apply not in self.read(path, 'Software.Update', 'AllowedApplyTimes'):
            raise Refused('Software.Update.Error.InvalidApplyTime', f'{apply} is not allowed')
        busy = 'NotReady', 'Ready', 'Activating'
        if any(self.read(each, 'Software.Activation', 'Activation') in busy for each in self._versions()):
            raise Refused('Software.Update.Error.InProgress', 'There is an update')
        purpose = self.read(path, 'Software.Version', 'Purpose')
        new = self._put(hashlib.sha256(content).hexdigest()[:12], purpose, 'NotReady', None)
        self.add(new, {'Object.Delete': {}})
        if content and not content.startswith(b'bad'):
            self.simulator.later(lambda: self._ready(new))
        else:
            self.simulator.later(lambda: self.set(new, 'Software.Activation', Activation='Invalid'))
        return new

    def _ready(self, path):
        self.set(path, 'Software.Activation', Activation='Ready')
        self.simulator.later(lambda: self._activate(path))

    def _requested(self, path, requested):
        ready = self.read(path, 'Software.Activation', 'Activation') in ('Ready', 'Failed')
        if requested.endswith('.Active') and ready:
            self._activate(path)

    def _activate(self, path):
        if path in self.objects and self.read(path, 'Software.Activation', 'Activation') != 'Activating':
            active = f'{whole("Software.Activation")}.RequestedActivations.Active'
            self.set(path, 'Software.Activation', Activation='Activating', RequestedActivation=active)
            self.add(path, {'Software.ActivationProgress': {}})
            self._advance(path, PROGRESS)

    def _advance(self, path, left):
        if left:
            self.set(path, 'Software.ActivationProgress', Progress=left[0])
            self.simulator.later(lambda: self._advance(path, left[1:]))
            return
        self.remove(path, 'Software.ActivationProgress')
        purpose = self.read(path, 'Software.Version', 'Purpose')
        for other in self._versions(purpose):
            spare = self.bios if purpose == 'Host' else self.functional
            if other not in (path, spare):
                self.remove(other)
            elif self.has(other, 'Software.RedundancyPriority'):
                self.set(other, 'Software.RedundancyPriority', Priority=1)
        self.add(path, {'Software.RedundancyPriority': {'Priority': 0}})
        self._allow(path)
        self.set(path, 'Software.Activation', Activation='Active')
        if purpose == 'Host':
            self.remove(self.bios)
            self.bios = path
        self._associate()

    def _prefer(self, path, priority):
        for other in self._bootable(self.read(path, 'Software.Version', 'Purpose')):
            if other != path and self.read(other, 'Software.RedundancyPriority', 'Priority') == priority:
                self.set(other, 'Software.RedundancyPriority', Priority=priority + 1)

    def _delete(self, path):
        if path in (self.functional, self.bios):
            raise Refused('Common.Error.NotAllowed', 'It is running')
        self.remove(path)
        self._associate()

    def restarted(self):
        """The controller runs the version of the first priority now."""
        images = self._bootable('BMC')
        self.functional = min(images, key=lambda path: self.read(path, 'Software.RedundancyPriority', 'Priority'))
        self._associate()
