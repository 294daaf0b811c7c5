"""Network interfaces and their addresses, and the clock."""

import ipaddress
import re
import time

from daemon import Daemon, Refused
from interfaces import whole

NETWORK = '/xyz/openbmc_project/network'
CONFIG = f'{NETWORK}/config'
CLOCK = '/org/freedesktop/timedate1'
ZONES = 'Etc/UTC', 'Europe/Berlin', 'America/Chicago', 'Asia/Tokyo'


def invalid(text):
    return Refused('Common.Error.InvalidArgument', text)


def encoded(text):
    """A segment of a path: what is not a letter or digit, and a digit at the beginning, in hex."""
    plain = re.sub('[^A-Za-z0-9]', lambda found: f'_{ord(found[0]):02x}', text)
    return f'_{ord(plain[0]):02x}{plain[1:]}' if plain[0].isdigit() else plain


class Network(Daemon):
    def __init__(self):
        super().__init__(whole('Network'), managers=[NETWORK])
        self.add(NETWORK, {'Network.VLAN.Create': {}, 'Common.FactoryReset': {}})
        self.add(CONFIG, {'Network.SystemConfiguration': {'HostName': 'openbmc'}})
        self._put('eth0', '02:00:00:00:00:01', Speed=1000, LinkUp=True, DHCP4=True, DHCPEnabled='v4')
        self._put('eth1', '02:00:00:00:00:02', NICEnabled=False)
        self.set(f'{NETWORK}/eth0', 'Network.EthernetInterface', DefaultGateway='192.0.2.1', Nameservers=['192.0.2.53'])
        self._put_address(f'{NETWORK}/eth0', 'IPv4', '192.0.2.10', 24, 'DHCP')
        self._put_address(f'{NETWORK}/eth0', 'IPv6', 'fe80::ff:fe00:1', 64, 'LinkLocal')
        self.answer('Network.IP.Create', IP=self._create_address)
        self.answer('Network.VLAN.Create', VLAN=self._create_vlan)
        self.answer('Object.Delete', Delete=self._delete)
        self.answer('Common.FactoryReset', Reset=lambda _: None)
        self.guard('Network.SystemConfiguration', HostName=check_host_name)
        self.guard('Network.MACAddress', MACAddress=check_mac)
        fixed = dict.fromkeys(('Address', 'PrefixLength', 'Origin', 'Gateway', 'Type'), refuse)
        self.guard('Network.IP', **fixed)
        self.guard(
            'Network.EthernetInterface',
            StaticNameServers=lambda _, servers: [check_address(each) for each in servers],
            DefaultGateway=lambda _, gateway: gateway and check_address(gateway, 4),
            DefaultGateway6=lambda _, gateway: gateway and check_address(gateway, 6),
            DHCPEnabled=self._follow,
            DHCP4=lambda path, on: self._follow_one(path, on, self._is_on(path, 'DHCP6')),
            DHCP6=lambda path, on: self._follow_one(path, self._is_on(path, 'DHCP4'), on),
        )

    def _put(self, name, mac, **properties):
        path = f'{NETWORK}/{name}'
        wired = {'InterfaceName': name, 'AutoNeg': True, 'FullDuplex': True}
        self.add(path, {
            'Network.EthernetInterface': {**wired, **properties},
            'Network.MACAddress': {'MACAddress': mac},
            'Network.IP.Create': {},
        })
        for version in ('dhcp4', 'dhcp6'):
            self.add(f'{path}/{version}', {'Network.DHCPConfiguration': {}})
        return path

    def _put_address(self, path, kind, address, prefix, origin, gateway=''):
        here = f'{path}/{encoded(f"{address}/{prefix}")}'
        content = {'Address': address, 'PrefixLength': prefix, 'Origin': origin, 'Gateway': gateway, 'Type': kind}
        self.add(here, {'Network.IP': content, 'Object.Delete': {}})
        return here

    def _create_address(self, path, protocol, address, prefix, gateway):
        # The text of a dbus.Byte is its character.
        kind, prefix = protocol.rpartition('.')[2], int(prefix)
        check_address(address, 4 if kind == 'IPv4' else 6)
        if not 1 <= prefix <= (32 if kind == 'IPv4' else 128):
            raise invalid(f'{prefix} is not the length of a prefix')
        if gateway:
            check_address(gateway)
        return self._put_address(path, kind, address, prefix, 'Static', gateway)

    def _create_vlan(self, _, name, number):
        path = f'{NETWORK}/{name}'
        if path not in self.objects:
            raise Refused('Common.Error.ResourceNotFound', f'There is no interface {name}')
        if not 1 <= number <= 4094:
            raise invalid(f'{number} is not the number of a VLAN')
        new = self._put(f'{name}_{number}', self.read(path, 'Network.MACAddress', 'MACAddress'))
        self.set(new, 'Network.EthernetInterface', InterfaceName=f'{name}.{number}')
        self.add(new, {'Network.VLAN': {'Id': number}, 'Object.Delete': {}})
        return new

    def _delete(self, path):
        for each in [each for each in self.objects if each == path or each.startswith(f'{path}/')]:
            self.remove(each)

    def _is_on(self, path, name):
        return bool(self.read(path, 'Network.EthernetInterface', name))

    def _follow(self, path, mode):
        mode = mode.rpartition('.')[2]
        on = {'DHCP4': mode in ('both', 'v4', 'v4v6stateless'), 'DHCP6': mode in ('both', 'v6')}
        ra = mode in ('v6stateless', 'v4v6stateless')
        self.set(path, 'Network.EthernetInterface', **on, IPv6AcceptRA=ra)

    def _follow_one(self, path, is_4, is_6):
        mode = ('both' if is_6 else 'v4') if is_4 else 'v6' if is_6 else 'none'
        self.set(path, 'Network.EthernetInterface', DHCPEnabled=mode)


def check_host_name(_, name):
    if not re.fullmatch('[A-Za-z0-9]([A-Za-z0-9.-]{0,62}[A-Za-z0-9])?', name):
        raise invalid(f'{name} is not a name of a host')


def check_mac(_, mac):
    if not re.fullmatch('([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}', mac):
        raise invalid(f'{mac} is not an address of a network interface')


def check_address(text, version=None):
    try:
        address = ipaddress.ip_address(str(text))
    except ValueError as error:
        raise invalid(str(error)) from None
    if version not in (None, address.version):
        raise invalid(f'{text} is not an address of IPv{version}')


def refuse(_path, _value):
    raise Refused('Common.Error.NotAllowed', 'An address is removed and created anew')


class Time(Daemon):
    """The time manager: the clock as a property."""

    def __init__(self, clock):
        super().__init__(whole('Time.Manager'), managers=['/xyz/openbmc_project/time'])
        self.clock = clock
        self.add('/xyz/openbmc_project/time/bmc', {'Time.EpochTime': {'Elapsed': clock.now()}})
        self.guard('Time.EpochTime', Elapsed=self._set_clock)

    def _set_clock(self, _, microseconds):
        if not self.clock.put(microseconds):
            raise Refused('Time.Error.Failed', 'The clock follows a server')


class Clock(Daemon):
    def __init__(self):
        super().__init__('org.freedesktop.timedate1')
        self.ahead = 0
        self.add(CLOCK, {'org.freedesktop.timedate1': {}})
        self.show('org.freedesktop.timedate1', TimeUSec=lambda _: self.now(), RTCTimeUSec=lambda _: self.now())
        self.answer(
            'org.freedesktop.timedate1',
            SetTime=self._set_time,
            SetTimezone=self._set_zone,
            SetLocalRTC=lambda _, is_local, *_more: self._tell(LocalRTC=is_local),
            SetNTP=lambda _, is_on, _more: self.synchronize(is_on),
            ListTimezones=lambda _: ZONES,
        )

    def now(self):
        return int(time.time() * 1_000_000) + self.ahead

    def _tell(self, **properties):
        """timedated announces changes of what it sets, other than those of the clock."""
        self.set(CLOCK, 'org.freedesktop.timedate1', **properties)

    def _set_time(self, _, microseconds, is_relative, _more):
        if not self.put(self.now() + microseconds if is_relative else microseconds):
            raise Refused('org.freedesktop.timedate1.AutomaticTimeSyncEnabled', 'The clock follows a server')

    def put(self, microseconds):
        """Sets the clock, unless it follows a server."""
        if self.read(CLOCK, 'org.freedesktop.timedate1', 'NTP'):
            return False
        self.ahead = int(microseconds) - int(time.time() * 1_000_000)
        return True

    def _set_zone(self, _, zone, _more):
        if zone not in ZONES:
            raise Refused('org.freedesktop.DBus.Error.InvalidArgs', f'There is no time zone {zone}')
        self._tell(Timezone=zone)

    def synchronize(self, is_on):
        self._tell(NTP=is_on, NTPSynchronized=is_on)
