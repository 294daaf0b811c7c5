"""The host, its chassis and the controller: their states, and the boot with its progress and POST codes."""

import os
import time

from gi.repository import GLib

from daemon import Daemon, Refused
from interfaces import whole

HOST = '/xyz/openbmc_project/state/host0'
CHASSIS = '/xyz/openbmc_project/state/chassis0'
BMC = '/xyz/openbmc_project/state/bmc0'
RAW = '/xyz/openbmc_project/state/boot/raw0'
CODES = '/xyz/openbmc_project/State/Boot/PostCode0'
WATCHDOG = '/xyz/openbmc_project/watchdog/host0'
NMI = '/xyz/openbmc_project/control/host0/nmi'
MANAGER = '/xyz/openbmc_project/state'

HOST_ON = (
    ('host', 'TransitioningToRunning'),
    ('boot', 'PrimaryProcInit'),
    ('boot', 'MemoryInit'),
    ('boot', 'PCIInit'),
    ('boot', 'SystemInitComplete'),
    ('host', 'Running'),
    ('boot', 'OSStart'),
    ('boot', 'OSRunning'),
)
HOST_OFF = ('host', 'TransitioningToOff'), ('host', 'Off')
HOST_LOST = (('host', 'Off'),)
CHASSIS_ON = ('chassis', 'TransitioningToOn'), ('chassis', 'On')
CHASSIS_OFF = ('chassis', 'TransitioningToOff'), ('chassis', 'Off')

STEPS = {
    ('host', 'On'): CHASSIS_ON + HOST_ON,
    ('host', 'Off'): HOST_OFF + CHASSIS_OFF,
    ('host', 'Reboot'): HOST_OFF + CHASSIS_OFF + CHASSIS_ON + HOST_ON,
    ('host', 'GracefulWarmReboot'): HOST_OFF + HOST_ON,
    ('host', 'ForceWarmReboot'): HOST_LOST + HOST_ON,
    ('chassis', 'On'): CHASSIS_ON,
    ('chassis', 'Off'): HOST_LOST + CHASSIS_OFF,
    ('chassis', 'PowerCycle'): HOST_LOST + CHASSIS_OFF + CHASSIS_ON + HOST_ON,
}

# What a watchdog does.
ACTIONS = {'HardReset': ('host', 'ForceWarmReboot'), 'PowerOff': ('chassis', 'Off'), 'PowerCycle': ('host', 'Reboot')}

POST = {'PrimaryProcInit': 0x01, 'MemoryInit': 0x2B, 'PCIInit': 0x92, 'SystemInitComplete': 0xA0, 'OSStart': 0xAA}


def now(unit):
    """The time since 1970: with 1000 in milliseconds."""
    return int(time.time() * unit)


class State:
    def __init__(self, simulator):
        self.simulator = simulator
        self.left = []
        self.is_waiting = False
        self.boots = []
        is_on = simulator.options.power == 'On'
        self.host = Daemon(whole('State.Host'), whole('State.Host0'), managers=[MANAGER])
        self.host.add(HOST, {
            'State.Host': {'CurrentHostState': 'Running', 'RequestedHostTransition': 'On'} if is_on else {},
            'State.Boot.Progress': {'BootProgress': 'OSRunning' if is_on else 'Unspecified'},
            'State.OperatingSystem.Status': {'OperatingSystemState': 'BootComplete' if is_on else 'Inactive'},
            'Control.Boot.RebootAttempts': {},
        })
        self.chassis = Daemon(whole('State.Chassis'), whole('State.Chassis0'), managers=[MANAGER])
        on = {'CurrentPowerState': 'On', 'RequestedPowerTransition': 'On'} if is_on else {}
        self.chassis.add(CHASSIS, {
            'State.Chassis': {'LastStateChangeTime': now(1000), **on},
            'State.PowerOnHours': {'POHCounter': 4711},
        })
        self.bmc = Daemon(whole('State.BMC'), managers=[MANAGER])
        self.bmc.add(BMC, {'State.BMC': {'LastRebootTime': now(1000), 'LastRebootCause': 'POR'}})
        self.raw = Daemon(whole('State.Boot.Raw'))
        self.raw.add(RAW, {'State.Boot.Raw': {}})
        self.codes = Daemon(whole('State.Boot.PostCode0'))
        self.codes.add(CODES, {'State.Boot.PostCode': {}, 'Collection.DeleteAll': {}})
        self.nmi = Daemon(whole('Control.Host.NMI'))
        self.nmi.add(NMI, {'Control.Host.NMI': {}})
        self.daemons = [self.host, self.chassis, self.bmc, self.raw, self.codes, self.nmi]
        self.host.guard('State.Host', RequestedHostTransition=self._host_requested)
        self.chassis.guard('State.Chassis', RequestedPowerTransition=self._chassis_requested)
        self.bmc.guard('State.BMC', RequestedBMCTransition=self._bmc_requested)
        calls = {'GetPostCodes': self._plain_codes, 'GetPostCodesWithTimeStamp': self._codes}
        self.codes.answer('State.Boot.PostCode', **calls)
        self.codes.answer('Collection.DeleteAll', DeleteAll=self._forget_codes)
        self.nmi.answer('Control.Host.NMI', NMI=lambda _: simulator.note('NMI'))

    @property
    def is_on(self):
        return self.chassis.read(CHASSIS, 'State.Chassis', 'CurrentPowerState') == 'On'

    def request(self, unit, transition, cause='RemoteCommand'):
        steps = STEPS[(unit, transition)]
        if self.is_on and transition == 'On':
            steps = tuple(step for step in steps if step not in CHASSIS_ON)
        is_running = self.host.read(HOST, 'State.Host', 'CurrentHostState') == 'Running'
        if is_running and transition == 'On':
            steps = ()
        elif HOST_ON[0] in steps:
            self.host.set(HOST, 'State.Host', RestartCause=cause)
        if not is_running:
            steps = tuple(step for step in steps if step not in HOST_OFF or step in HOST_LOST)
        self.left = list(steps)
        if not self.is_waiting:
            self._wait()

    def _wait(self):
        self.is_waiting = True
        self.simulator.later(self._step)

    def _step(self):
        self.is_waiting = False
        hold = self.simulator.options.hold
        # As a unit of systemd that is ordered before the start of the host.
        if self.left[:1] == [STEPS['host', 'On'][0]] and hold and os.path.exists(hold):
            self._wait()
        elif self.left:
            unit, state = self.left.pop(0)
            {'host': self._set_host, 'chassis': self._set_chassis, 'boot': self._set_boot}[unit](state)
            self._wait()

    def _set_host(self, state):
        self.host.set(HOST, 'State.Host', CurrentHostState=state)
        if state == 'Off':
            self._set_boot('Unspecified')
        if state == 'TransitioningToRunning':
            self.boots.insert(0, [])
            self.codes.set(CODES, 'State.Boot.PostCode', CurrentBootCycleCount=len(self.boots))

    def _set_chassis(self, state):
        self.chassis.set(CHASSIS, 'State.Chassis', CurrentPowerState=state)
        if not state.startswith('Transitioning'):
            self.chassis.set(CHASSIS, 'State.Chassis', LastStateChangeTime=now(1000))
            self.simulator.powered(state == 'On')

    def _set_boot(self, stage):
        self.host.set(HOST, 'State.Boot.Progress', BootProgress=stage, BootProgressLastUpdate=now(1_000_000))
        system = {'OSRunning': 'BootComplete', 'OSStart': 'Standby'}.get(stage, 'Inactive')
        self.host.set(HOST, 'State.OperatingSystem.Status', OperatingSystemState=system)
        if stage in POST:
            self.boots[0].append((now(1_000_000), POST[stage]))
            self.raw.set(RAW, 'State.Boot.Raw', Value=([POST[stage]], []))
        if stage == 'SystemInitComplete':
            self.simulator.booted()

    def _host_requested(self, _, transition):
        self.request('host', transition.rpartition('.')[2])

    def _chassis_requested(self, _, transition):
        self.request('chassis', transition.rpartition('.')[2])

    def _bmc_requested(self, _, transition):
        kind = transition.rpartition('.')[2]
        if kind == 'None':
            return
        self.simulator.note(kind)
        self.bmc.set(BMC, 'State.BMC', CurrentBMCState='NotReady')

        def back():
            ready = {'CurrentBMCState': 'Ready', 'RequestedBMCTransition': 'None', 'LastRebootTime': now(1000)}
            self.bmc.set(BMC, 'State.BMC', **ready)
            self.simulator.restarted()

        self.simulator.later(back)

    def _cycle(self, index):
        if not 1 <= index <= len(self.boots):
            raise Refused('Common.Error.InvalidArgument', f'There is no boot {index}')
        return self.boots[index - 1]

    def _codes(self, _, index):
        return {at: (list(code.to_bytes(1)), []) for at, code in self._cycle(index)}

    def _plain_codes(self, _, index):
        return [(list(code.to_bytes(1)), []) for _, code in self._cycle(index)]

    def _forget_codes(self, _):
        self.boots.clear()
        self.codes.set(CODES, 'State.Boot.PostCode', CurrentBootCycleCount=0)


class Watchdog(Daemon):
    """The watchdog of the host: while it is enabled, it counts down, and acts at zero."""

    def __init__(self, simulator):
        super().__init__(whole('Watchdog'), managers=['/xyz/openbmc_project/watchdog'])
        self.simulator = simulator
        self.add(WATCHDOG, {'State.Watchdog': {'Initialized': True}})
        self.end, self.due = None, 0
        self.guard(
            'State.Watchdog',
            Enabled=lambda _, is_enabled: self._arm(self._get_interval() if is_enabled else None),
            TimeRemaining=lambda _, left: self._arm(left if self._is_enabled() else None),
        )
        self.show('State.Watchdog', TimeRemaining=self._left)
        self.answer('State.Watchdog', ResetTimeRemaining=self._reset)

    def _get_interval(self):
        return self.read(WATCHDOG, 'State.Watchdog', 'Interval')

    def _is_enabled(self):
        return self.read(WATCHDOG, 'State.Watchdog', 'Enabled')

    def _left(self, path):
        if self.end is None:
            return self.read(path, 'State.Watchdog', 'TimeRemaining')
        return max(0, self.due - GLib.get_monotonic_time() // 1000)

    def _reset(self, _, is_enabled):
        if is_enabled:
            self.set(WATCHDOG, 'State.Watchdog', Enabled=True)
        interval = self._get_interval()
        self.set(WATCHDOG, 'State.Watchdog', TimeRemaining=interval)
        self._arm(interval if self._is_enabled() else None)

    def _arm(self, milliseconds):
        if self.end is not None:
            GLib.source_remove(self.end)
        self.end = None
        if milliseconds is not None:
            self.due = GLib.get_monotonic_time() // 1000 + int(milliseconds)
            self.end = GLib.timeout_add(max(1, int(milliseconds)), self._expire)

    def _expire(self):
        self.end = None
        action, use = (self.read(WATCHDOG, 'State.Watchdog', name) for name in ('ExpireAction', 'CurrentTimerUse'))
        self.emit(WATCHDOG, 'State.Watchdog', 'Timeout', f'{whole("State.Watchdog")}.Action.{action}')
        self.set(WATCHDOG, 'State.Watchdog', Enabled=False, TimeRemaining=0, ExpiredTimerUse=use)
        if action in ACTIONS:
            self.simulator.state.request(*ACTIONS[action], cause='WatchdogTimer')
        return False
