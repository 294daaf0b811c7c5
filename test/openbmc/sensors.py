"""The sensors of a server with two sockets. They move, and raise the alarms of their thresholds."""

import math

from daemon import Daemon
from interfaces import whole
from inventory import CHASSIS, item_of

SENSORS = '/xyz/openbmc_project/sensors'
UNITS = {
    'airflow': 'CFM', 'altitude': 'Meters', 'current': 'Amperes', 'energy': 'Joules', 'fan_tach': 'RPMS',
    'frequency': 'Hertz', 'humidity': 'PercentRH', 'liquidflow': 'LPM', 'power': 'Watts', 'pressure': 'Pascals',
    'temperature': 'DegreesC', 'utilization': 'Percent', 'voltage': 'Volts',
}
LEVELS = 'Warning', 'Critical'

# By daemon: the object, its value, by how much it moves, its bounds (warning low, high, critical low, high; None for a
# bound that it does not have), and whether it needs the host's power.
nothing = None, None, None, None
hot = None, 85, None, 95
TABLE = {
    'HwmonTempSensor': [
        ('temperature/Inlet', 24, 1.5, (5, 38, 0, 42), False),
        ('temperature/Exhaust', 36, 3, (None, 65, None, 75), False),
        *[(f'temperature/DIMM_{bank}{slot}', 41, 2, hot, True) for bank in 'ABCDEFGH' for slot in (0, 1)],
    ],
    'IntelCPUSensor': [
        *[(f'temperature/CPU{socket}', 52 + 3 * socket, 6, (None, 90, None, 100), True) for socket in (0, 1)],
        *[(f'power/CPU{socket}_Power', 118, 25, nothing, True) for socket in (0, 1)],
    ],
    'NVMeSensor': [(f'temperature/NVMe{drive}', 38, 2, (None, 70, None, 80), True) for drive in range(4)],
    'FanSensor': [(f'fan_tach/Fan{fan}', 7200, 300, (1800, None, 1200, None), True) for fan in range(8)],
    'ADCSensor': [
        ('voltage/P12V', 12.05, 0.06, (11.4, 12.6, 11.0, 13.0), True),
        ('voltage/P5V', 5.01, 0.03, (4.75, 5.25, 4.6, 5.4), True),
        ('voltage/P3V3', 3.31, 0.02, (3.14, 3.46, 3.0, 3.6), True),
        ('voltage/VBAT', 3.02, 0.01, (2.6, None, 2.4, None), False),
        *[(f'voltage/PVCCIN_CPU{socket}', 1.79, 0.02, (1.6, 2.0, 1.5, 2.1), True) for socket in (0, 1)],
    ],
    'PSUSensor': [
        each
        for supply in (0, 1)
        for each in (
            (f'temperature/PSU{supply}_Temperature', 33, 2, (None, 60, None, 70), False),
            (f'voltage/PSU{supply}_Input_Voltage', 230, 2, (200, 255, 180, 264), False),
            (f'current/PSU{supply}_Input_Current', 0.93, 0.1, (None, 6, None, 8), False),
            (f'power/PSU{supply}_Input_Power', 214, 20, (None, 1300, None, 1500), False),
            (f'energy/PSU{supply}_Energy', 5_400_000, 0, nothing, False),
        )
    ],
    'ExternalSensor': [
        ('airflow/Airflow', 92, 4, nothing, False),
        ('altitude/Altitude', 310, 0, nothing, False),
        ('humidity/Humidity', 44, 2, (10, 80, 5, 90), False),
        ('pressure/Pressure', 97_600, 50, nothing, False),
        ('frequency/Mains', 50, 0.02, nothing, False),
        ('liquidflow/Coolant', 2.4, 0.1, (1, None, 0.5, None), False),
    ],
    'HealthMon': [
        ('utilization/CPU', 12, 6, (None, 80, None, 90), False),
        ('utilization/Memory', 37, 2, (None, 80, None, 90), False),
    ],
}


class Sensors:
    def __init__(self, simulator):
        self.turn = 0
        self.is_on = True
        self.moving = []
        self.daemons = []
        probes = [(f'temperature/Probe_{count:05}', 40, 5, hot, False) for count in range(simulator.options.sensors)]
        for name, sensors in TABLE.items():
            daemon = Daemon(whole(name), managers=[SENSORS])
            self.daemons.append(daemon)
            for sensor in sensors + (probes if name == 'ExternalSensor' else []):
                self._add(daemon, *sensor)

    def _add(self, daemon, name, value, by, bounds, needs_power):
        path = f'{SENSORS}/{name}'
        most = {'fan_tach': 16_000, 'utilization': 100, 'temperature': 127, 'voltage': 2 * value}
        kind = name.partition('/')[0]
        interfaces = {
            'Sensor.Value': {'Value': value, 'Unit': UNITS[kind], 'MinValue': 0, 'MaxValue': most.get(kind, math.inf)},
            'State.Decorator.Availability': {},
            'State.Decorator.OperationalStatus': {},
            'Association.Definitions': {
                'Associations': [('chassis', 'all_sensors', CHASSIS), ('inventory', 'sensors', item_of(name))]
            },
        }
        for level, low, high in zip(LEVELS, bounds[::2], bounds[1::2]):
            given = {f'{level}Low': low, f'{level}High': high}
            has = {side: bound for side, bound in given.items() if bound is not None}
            if has:
                alarms = {side.replace(level, f'{level}Alarm'): False for side in has}
                interfaces[f'Sensor.Threshold.{level}'] = {**has, **alarms}
        daemon.add(path, interfaces, fills=False)
        daemon.set(path, 'State.Decorator.Availability', Available=True)
        daemon.set(path, 'State.Decorator.OperationalStatus', Functional=True)
        self.moving.append((daemon, path, value, by, needs_power))

    def powered(self, is_on):
        self.is_on = is_on
        for daemon, path, value, _, needs_power in self.moving:
            if needs_power:
                daemon.set(path, 'State.Decorator.Availability', Available=is_on)
                show(daemon, path, value if is_on else math.nan)

    def move(self):
        """Gives each sensor its next value."""
        self.turn += 1
        for count, (daemon, path, value, by, needs_power) in enumerate(self.moving):
            if self.is_on or not needs_power:
                grown = self.turn * 214 if '/energy/' in path else 0
                show(daemon, path, round(value + grown + by * math.sin((self.turn + 7 * count) / 5), 3))
        return True


def show(daemon, path, value):
    """Sets the value of a sensor, and the alarms that follow."""
    daemon.set(path, 'Sensor.Value', Value=value)
    for level in LEVELS:
        interface = f'Sensor.Threshold.{level}'
        for side in ('Low', 'High'):
            if daemon.has(path, interface) and f'{level}{side}' in daemon.objects[path][whole(interface)]:
                bound, was = (daemon.read(path, interface, name) for name in (f'{level}{side}', f'{level}Alarm{side}'))
                alarm = value <= bound if side == 'Low' else value >= bound
                if alarm != was:
                    daemon.set(path, interface, **{f'{level}Alarm{side}': alarm})
                    daemon.emit(path, interface, f'{level}{side}Alarm{"Asserted" if alarm else "Deasserted"}', value)
