"""A service that means harm, or is broken: objects that no honest one has, and signals about the objects of others."""

import math

from daemon import MANAGER, PROPERTIES, Daemon
from interfaces import typed, whole
from inventory import CHASSIS, SYSTEM
from sensors import SENSORS
from state import HOST
from users import USERS

READINGS = {'Not_A_Number': math.nan, 'Endless': math.inf, 'Below_Zero': -273.15, 'Inlet': 1000}
RING = f'{SYSTEM}/chassis/Ring_A', f'{SYSTEM}/chassis/Ring_B'


class Hostile(Daemon):
    def __init__(self):
        super().__init__(whole('Hostile'), managers=['/'])
        for name, value in READINGS.items():
            # The path of Inlet is that of an honest sensor.
            interfaces = {'Sensor.Value': {'Value': value, 'Unit': 'DegreesC', 'MinValue': 100, 'MaxValue': -100}}
            links = {'Association.Definitions': {'Associations': [('chassis', 'all_sensors', CHASSIS)]}}
            self.add(f'{SENSORS}/temperature/{name}', {**interfaces, **links})
        # Its id is that of the honest chassis.
        self.add(f'{SYSTEM}/board/Rack_Server', {
            'Inventory.Item': {'PrettyName': 'long' * 10_000},
            'Inventory.Item.Chassis': {},
            'Inventory.Decorator.Asset': {'SerialNumber': '\x01\x7f"</script>\u202e', 'Model': '../../etc/passwd'},
            'Association.Definitions': {'Associations': [
                ('', '', ''), ('a/b', 'c d', CHASSIS), ('contained_by', 'containing', '/nowhere'),
            ]},
        })
        for path, other in zip(RING, reversed(RING)):
            links = [('contained_by', 'containing', other), ('contained_by', 'containing', path)]
            self.add(path, {'Inventory.Item.Chassis': {}, 'Association.Definitions': {'Associations': links}})

    def forge(self):
        """Tells about objects of others, as if it were their service, and of the bus itself."""
        inlet = f'{SENSORS}/temperature/Inlet'
        off = {'CurrentHostState': typed('s', f'{whole("State.Host")}.HostState.Off', 1)}
        self._send(HOST, PROPERTIES, 'PropertiesChanged', 'sa{sv}as', whole('State.Host'), off, [])
        hot = {'Value': typed('d', 999, 1)}
        self._send(inlet, PROPERTIES, 'PropertiesChanged', 'sa{sv}as', whole('Sensor.Value'), hot, [])
        self._send(SENSORS, MANAGER, 'InterfacesRemoved', 'oas', inlet, [whole('Sensor.Value')])
        admin = {'UserPrivilege': typed('s', 'priv-admin', 1), 'UserEnabled': typed('b', True, 1)}
        intruder = {whole('User.Attributes'): admin}
        self._send(USERS, MANAGER, 'InterfacesAdded', 'oa{sa{sv}}', f'{USERS}/intruder', intruder)
        bus = 'org.freedesktop.DBus'
        self._send('/org/freedesktop/DBus', bus, 'NameOwnerChanged', 'sss', whole('State.Host'), ':1.1', '')
