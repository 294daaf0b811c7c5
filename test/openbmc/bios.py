"""The settings of the host's firmware."""

from daemon import Daemon, Refused
from interfaces import whole

CONFIG = '/xyz/openbmc_project/bios_config'
MANAGER = f'{CONFIG}/manager'
PASSWORD = f'{CONFIG}/password'
SECURE_BOOT = f'{CONFIG}/secure_boot'
NAME = whole('BIOSConfig.Manager')


def attribute(kind, text, menu, value, bounds, is_readonly=False):
    """`bounds` are pairs of a kind of bound and its value; an enumeration has all its values as `OneOf`."""
    letter = 'x' if kind == 'Integer' else 's'
    options = [
        (f'{NAME}.BoundType.{bound}', ('s' if bound == 'OneOf' else 'x', each), str(each)) for bound, each in bounds
    ]
    content = (letter, value)
    return f'{NAME}.AttributeType.{kind}', is_readonly, text, f'{text}.', menu, content, content, options


def one_of(*values):
    return [('OneOf', value) for value in values]


TABLE = {
    'QuietBoot': attribute('Enumeration', 'Quiet boot', './Boot', 'Enabled', one_of('Enabled', 'Disabled')),
    'HyperThreading': attribute(
        'Enumeration', 'Simultaneous threads', './Advanced/Processor', 'Enabled', one_of('Enabled', 'Disabled')
    ),
    'PowerProfile': attribute(
        'Enumeration', 'Power profile', './Advanced/Power', 'Balanced', one_of('Performance', 'Balanced', 'Efficient')
    ),
    'DebugLevel': attribute(
        'Integer', 'Debug level of the serial port', './Advanced/Debug', 1,
        [('LowerBound', 0), ('UpperBound', 4), ('ScalarIncrement', 1)],
    ),
    'AssetName': attribute(
        'String', 'Name of the asset', './Main', 'server', [('MinStringLength', 0), ('MaxStringLength', 32)]
    ),
    'FirmwareVersion': attribute('String', 'Version of the firmware', './Main', 'BIOS-1.08', [], is_readonly=True),
}


class Bios(Daemon):
    def __init__(self):
        super().__init__(whole('BIOSConfigManager'), managers=['/'])
        self.add(MANAGER, {'BIOSConfig.Manager': {'BaseBIOSTable': TABLE}})
        self.add(SECURE_BOOT, {'BIOSConfig.SecureBoot': {'CurrentBoot': 'Disabled', 'Mode': 'UserMode'}})
        self.add(PASSWORD, {'BIOSConfig.Password': {}})
        self.passwords = {}
        self.answer('BIOSConfig.Password', ChangePassword=self._change_password)
        self.guard('BIOSConfig.Manager', PendingAttributes=self._pend)
        self.answer('BIOSConfig.Manager', SetAttribute=self._set_one, GetAttribute=self._get_one)

    def _change_password(self, _, user, current, new):
        if self.passwords.get(user, '') != current:
            raise Refused('BIOSConfig.Common.Error.InvalidCurrentPassword', 'The current password is another one')
        self.passwords[user] = new

    def _table(self):
        return self.read(MANAGER, 'BIOSConfig.Manager', 'BaseBIOSTable')

    def _pending(self):
        return self.read(MANAGER, 'BIOSConfig.Manager', 'PendingAttributes')

    def _pend(self, _, wanted):
        """Adds to what is pending; nothing at all clears it."""
        for name, (kind, value) in wanted.items():
            check(self._need(name), name, kind, value)
        pending = {**self._pending(), **wanted} if wanted else {}
        self.set(MANAGER, 'BIOSConfig.Manager', PendingAttributes=pending)
        return False

    def _need(self, name):
        if name not in self._table():
            raise Refused('BIOSConfig.Common.Error.AttributeNotFound', f'There is no attribute {name}')
        return self._table()[name]

    def _set_one(self, _, name, value):
        self._pend(_, {name: (self._need(name)[0], value)})

    def _get_one(self, _, name):
        kind, *_, current, _, _ = self._need(name)
        return kind, current, self._pending()[name][1] if name in self._pending() else current

    def booted(self):
        """The firmware takes what is pending, and a reset."""
        reset = self.read(MANAGER, 'BIOSConfig.Manager', 'ResetBIOSSettings') != 'NoAction'
        pending = self._pending()
        table = {}
        for name, row in self._table().items():
            current = row[6] if reset else pending[name][1] if name in pending else row[5]
            table[name] = (*row[:5], current, *row[6:])
        changed = {'BaseBIOSTable': table, 'PendingAttributes': {}, 'ResetBIOSSettings': 'NoAction'}
        self.set(MANAGER, 'BIOSConfig.Manager', **changed)
        is_secure = self.read(SECURE_BOOT, 'BIOSConfig.SecureBoot', 'Enable')
        self.set(SECURE_BOOT, 'BIOSConfig.SecureBoot', CurrentBoot='Enabled' if is_secure else 'Disabled')


def check(row, name, kind, value):
    if row[1]:
        raise Refused('BIOSConfig.Common.Error.AttributeReadOnly', f'{name} cannot be set')
    is_number = isinstance(value, int)
    if kind != row[0] or is_number != isinstance(row[5], int):
        raise Refused('Common.Error.InvalidArgument', f'{name} has another type')
    bounds = {}
    for bound, limit, _ in row[7]:
        bounds.setdefault(bound.rpartition('.')[2], []).append(limit)
    size = value if is_number else len(value)
    low, high = ('LowerBound', 'UpperBound') if is_number else ('MinStringLength', 'MaxStringLength')
    allowed = bounds.get('OneOf', [value])
    if value not in allowed or size < bounds.get(low, [size])[0] or size > bounds.get(high, [size])[0]:
        raise Refused('Common.Error.InvalidArgument', f'{name} cannot be {value}')
