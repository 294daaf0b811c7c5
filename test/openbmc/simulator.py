"""
OpenBMC's daemons on a bus: simulator.py ADDRESS [OPTION…]. Prints a line when those that do not start later have their
names.

With --control it reads requests from its input, one a line in JSON, answers each with a line, and ends with its input.
"""

import argparse
import json
import os
import sys

import dbus
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

import inventory
import settings
from bios import Bios
from certificates import certificates
from console import Console
from hostile import Hostile
from interfaces import whole
from log import Dumps, Log
from mapper import Mapper
from network import Clock, Network, Time
from sensors import Sensors
from software import Software
from state import State, Watchdog
from users import Users


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('address', help='of the bus, such as unix:path=/run/bus')
    parser.add_argument('--control', action='store_true', help='read requests from the input')
    parser.add_argument('--power', choices=['On', 'Off'], default='On', help='the state of host and chassis at first')
    parser.add_argument('--step', type=float, default=1, metavar='SECONDS', help='between two steps of a transition')
    parser.add_argument('--move', type=float, default=1, metavar='SECONDS', help='between values of a sensor; 0: never')
    parser.add_argument('--sensors', type=int, default=0, metavar='COUNT', help='further sensors')
    parser.add_argument('--https', metavar='FILE', help='the file of the certificate and the key of HTTPS')
    parser.add_argument('--hold', metavar='FILE', help='a host does not boot while this file is there')
    parser.add_argument('--hostile', action='store_true', help='with a service that means harm')
    parser.add_argument('--without', action='append', default=[], metavar='SERVICE', help='one that does not start')
    parser.add_argument('--late', action='append', default=[], metavar='SERVICE=SECONDS', help='one that starts later')
    return parser.parse_args()


class Simulator:
    def __init__(self, options):
        self.options = options
        self.mainloop = DBusGMainLoop()
        self.notes = []
        self.held = None
        self.is_dirty = False
        self.mapper = Mapper()
        self.settings = settings.settings()
        self.leds = settings.leds()
        self.state = State(self)
        self.sensors = Sensors(self)
        self.bios = Bios()
        self.software = Software(self)
        self.clock = Clock()
        self.hostile = Hostile()
        self.daemons = [
            self.mapper, *self.state.daemons, Watchdog(self), self.settings, self.leds, *self.sensors.daemons,
            inventory.entity_manager(), inventory.smbios(), inventory.found(), Users(), Log(), Dumps(self),
            self.software, self.bios, Network(), self.clock, Time(self.clock), *certificates(options.https), Console(),
            self.hostile,
        ]
        self.settings.guard('Time.Synchronization', TimeSyncMethod=self._synchronize)
        for daemon in self.daemons:
            daemon.on_change = self.changed
        self.mapper.refresh = self.refresh
        if options.power == 'Off':
            self.powered(False)
        if options.move:
            GLib.timeout_add(round(options.move * 1000), self.sensors.move)

    # What the parts tell each other.

    def note(self, what):
        """Remembers something that has no other effect here."""
        self.notes.append(what)

    def later(self, do):
        """Does something after the time of a step, and not while the simulator is held."""

        def due():
            if self.held is None:
                do()
            else:
                self.held.append(do)
            return False

        GLib.timeout_add(round(self.options.step * 1000), due)

    def powered(self, is_on):
        self.sensors.powered(is_on)
        self.leds.set(f'{settings.LEDS}/power_on', 'Led.Group', Asserted=is_on)

    def booted(self):
        """The firmware has read its settings, and has cleared the boot override if it is for one boot."""
        if self.settings.read(f'{settings.BOOT}/one_time', 'Object.Enable', 'Enabled'):
            self.settings.set(settings.BOOT, 'Object.Enable', Enabled=False)
        self.bios.booted()

    def restarted(self):
        self.software.restarted()

    def _synchronize(self, _, method):
        self.clock.synchronize(method.endswith('.NTP'))

    def changed(self):
        if not self.is_dirty:
            self.is_dirty = True
            GLib.idle_add(self.update)

    def refresh(self):
        if self.is_dirty:
            self.update()

    def update(self):
        self.is_dirty = False
        if self.mapper.bus is not None:
            self.mapper.update(self.daemons)
        return False

    # Their lives.

    def begin(self):
        late = dict(each.split('=') for each in self.options.late)
        absent = set(map(whole, [*self.options.without, *late, *([] if self.options.hostile else ['Hostile'])]))
        for daemon in self.daemons:
            if absent.isdisjoint(daemon.names):
                self.start(daemon.names[0])
        for name, seconds in late.items():
            GLib.timeout_add(round(float(seconds) * 1000), lambda name=name: self.start(name))
        self.update()
        if self.mapper.bus is not None:
            self.mapper.bus.flush()

    def find(self, name):
        return next(daemon for daemon in self.daemons if whole(name) in daemon.names)

    def owner(self, path, interface):
        return next(daemon for daemon in self.daemons if daemon.has(path, interface))

    def start(self, name):
        daemon = self.find(name)
        try:
            daemon.start(self.options.address, self.mainloop)
            daemon.bus.call_on_disconnection(lambda _: self.lost(daemon))
        except dbus.DBusException:
            GLib.timeout_add(200, lambda: self.start(name))

    def lost(self, daemon):
        """The bus is gone: a daemon starts anew with the next one. One that was stopped does not."""
        if daemon.bus is not None and not daemon.bus.get_is_connected():
            daemon.stop()
            self.start(daemon.names[0])

    # What tests ask for.

    def hear(self, line):
        request = json.loads(line)
        try:
            answer = {'result': getattr(self, f'do_{request["do"]}')(*request['with'])}
        except Exception as error:  # noqa: BLE001: whatever it is, the test is told
            answer = {'error': f'{type(error).__name__}: {error}'}
        print(json.dumps({'id': request['id'], **answer}, default=str), flush=True)

    def do_get(self, path, interface, name):
        return self.owner(path, interface).read(path, interface, name)

    def do_set(self, path, interface, name, value):
        self.owner(path, interface).set(path, interface, **{name: value})

    def do_break(self, path, interface, name, signature, value):
        self.owner(path, interface).break_type(path, interface, name, signature, value)

    def do_invalidate(self, path, interface, name, value):
        self.owner(path, interface).invalidate(path, interface, name, value)

    def do_fail(self, path, interface, member, error):
        self.owner(path, interface).fail(path, interface, member, error)

    def do_forge(self):
        self.hostile.forge()

    def do_usurp(self, name):
        """The hostile service takes the name of another."""
        self.find(name).lose_names()
        self.hostile.bus.request_name(whole(name))

    def do_add(self, name, path, interfaces):
        self.find(name).add(path, interfaces)

    def do_remove(self, path, interface, *interfaces):
        self.owner(path, interface).remove(path, interface, *interfaces)

    def do_start(self, name):
        self.start(name)

    def do_kill(self, name):
        self.find(name).stop()

    def do_silence(self, name, is_silent):
        self.find(name).is_silent = is_silent

    def do_lose(self, name):
        self.find(name).lose_names()

    def do_take(self, name):
        self.find(name).take_names()

    def do_hold(self):
        self.held = []

    def do_release(self):
        due, self.held = self.held, None
        for do in due:
            do()

    def do_move(self, times):
        for _ in range(times):
            self.sensors.move()

    def do_notes(self):
        return self.notes


def listen(simulator, loop):
    """Reads requests until the input ends."""
    rest = b''

    def heard(descriptor, _):
        nonlocal rest
        chunk = os.read(descriptor, 65536)
        *lines, rest = (rest + chunk).split(b'\n')
        for line in lines:
            simulator.hear(line)
        if not chunk:
            loop.quit()
        return bool(chunk)

    GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, heard)


def main():
    options = arguments()
    simulator = Simulator(options)
    simulator.begin()
    loop = GLib.MainLoop()
    if options.control:
        listen(simulator, loop)
    print('ready', flush=True)
    loop.run()


main()
