"""A service on the bus: its names, its objects as plain data, and what it answers."""

import traceback

import dbus
import dbus.bus
from dbus.lowlevel import (
    HANDLER_RESULT_HANDLED,
    HANDLER_RESULT_NOT_YET_HANDLED,
    MESSAGE_TYPE_METHOD_CALL,
    ErrorMessage,
    MethodReturnMessage,
    SignalMessage,
)

from interfaces import INTERFACES, QUIET, is_same, signature_of, typed, whole

INTROSPECTABLE = 'org.freedesktop.DBus.Introspectable'
PROPERTIES = 'org.freedesktop.DBus.Properties'
MANAGER = 'org.freedesktop.DBus.ObjectManager'
STANDARD = ('org.freedesktop.DBus.Peer', INTROSPECTABLE, PROPERTIES)
DOCTYPE = (
    '<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"\n'
    '"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">\n'
)


# The library still delivers to a connection that was closed: it must not be collected.
closed = []


class Refused(Exception):
    """An error that is answered. Its name has the prefix of OpenBMC where it has no other."""

    def __init__(self, name, text=''):
        super().__init__(text)
        self.name = whole(name)


def unknown(kind, text):
    return Refused(f'org.freedesktop.DBus.Error.Unknown{kind}', text)


def parents(path):
    """Of /a/b: / and /a."""
    parts = path.strip('/').split('/')
    return ['/' + '/'.join(parts[:count]) for count in range(len(parts))] if path != '/' else []


class Daemon:
    """
    `names` are well-known names, the first is the one that it is known by here. `managers` are the paths that have an
    ObjectManager. Behaviour is added by `answer`, `guard` and `show`.
    """

    def __init__(self, *names, managers=()):
        self.names = names
        self.managers = managers
        self.objects = {}
        self.nodes = {'/': set()}
        self.calls = {
            (INTROSPECTABLE, 'Introspect'): self._introspect,
            (PROPERTIES, 'Get'): self._get,
            (PROPERTIES, 'GetAll'): self._get_all,
            (PROPERTIES, 'Set'): self._set,
            (MANAGER, 'GetManagedObjects'): self._managed,
        }
        self.setters = {}
        self.getters = {}
        self.failures = {}
        self.bus = None
        self.is_named = False
        self.is_silent = False
        self.on_change = lambda: None
        for path in managers:
            self._plant(path)

    # Its behaviour.

    def answer(self, interface, **calls):
        """What methods do: functions of a path and the arguments. They may raise `Refused`."""
        self.calls.update({(whole(interface), name): call for name, call in calls.items()})

    def guard(self, interface, **setters):
        """
        What happens before others set a property: functions of a path and the value. They may raise `Refused`, or
        return False when they have set it themselves.
        """
        self.setters.update({(whole(interface), name): setter for name, setter in setters.items()})

    def show(self, interface, **getters):
        """What properties are that change without a signal: functions of a path."""
        self.getters.update({(whole(interface), name): getter for name, getter in getters.items()})

    # The connection.

    def start(self, address, mainloop):
        if self.bus is not None:
            return
        self.bus = dbus.bus.BusConnection(address, mainloop=mainloop)
        self.bus.add_message_filter(self._receive)
        self.take_names()

    def take_names(self):
        for name in self.names:
            self.bus.request_name(name, dbus.bus.NAME_FLAG_DO_NOT_QUEUE)
        self._name(True)

    def lose_names(self):
        for name in self.names:
            self.bus.release_name(name)
        self._name(False)

    def stop(self):
        """As when its process is killed: calls that wait for an answer fail."""
        if self.bus is not None:
            self.bus.close()
            closed.append(self.bus)
        self.bus = None
        self._name(False)

    def _name(self, is_named):
        self.is_named = is_named
        self.on_change()

    # The objects.

    def add(self, path, interfaces, fills=True):
        """Adds an object, or interfaces to one. Properties that are not given have their defaults if it `fills`."""
        added = {whole(name): properties for name, properties in interfaces.items()}
        standard = {} if path in self.objects else dict.fromkeys(STANDARD, {})
        shown = self.objects.setdefault(path, {})
        self._plant(path)
        for name, given in added.items():
            table = INTERFACES[name]
            shown[name] = dict(table.defaults) if fills else {}
            for each, value in given.items():
                shown[name][each] = table.properties[each].value(value)
        content = {name: shown[name] for name in added}
        self._announce(path, 'InterfacesAdded', 'oa{sa{sv}}', {**standard, **content})
        self.on_change()

    def remove(self, path, *interfaces):
        """Removes an object, or only some of its interfaces."""
        gone = [whole(name) for name in interfaces] or [*STANDARD, *self.objects[path]]
        for name in gone:
            self.objects[path].pop(name, None)
        if not self.objects[path]:
            del self.objects[path]
            self._uproot(path)
        self._announce(path, 'InterfacesRemoved', 'oas', gone)
        self.on_change()

    def has(self, path, interface):
        return whole(interface) in self.objects.get(path, {})

    def read(self, path, interface, name):
        """A property; of an enumeration, the last word."""
        value = self.objects[path][whole(interface)][name]
        kind = INTERFACES[whole(interface)].properties[name]
        return str(value).rpartition('.')[2] if kind.values and kind.signature == 's' else value

    def set(self, path, interface, **properties):
        """Sets properties, and tells about those that change."""
        table = INTERFACES[whole(interface)]
        self.store(path, table.name, {name: table.properties[name].value(plain) for name, plain in properties.items()})

    def store(self, path, interface, values):
        shown = self.objects[path][interface]
        changed = {name: value for name, value in values.items() if not is_same(shown.get(name), value)}
        shown.update(changed)
        told = {name: value for name, value in changed.items() if INTERFACES[interface].access[name] not in QUIET}
        if told:
            self._send(path, PROPERTIES, 'PropertiesChanged', 'sa{sv}as', interface, told, [])
        if 'Associations' in changed:
            self.on_change()

    def break_type(self, path, interface, name, signature, value):
        """Gives a property a value of another type than its own."""
        self.store(path, whole(interface), {name: typed(signature, value, 1)})

    def invalidate(self, path, interface, name, value):
        """Sets a property, and tells that it has changed without telling to what."""
        table = INTERFACES[whole(interface)]
        self.objects[path][table.name][name] = table.properties[name].value(value)
        self._send(path, PROPERTIES, 'PropertiesChanged', 'sa{sv}as', table.name, {}, [name])

    def fail(self, path, interface, member, error):
        """Has a method, or setting a property, fail with an error; without one no more."""
        self.failures[(path, whole(interface), member)] = error

    def _check(self, path, interface, member):
        error = self.failures.get((path, interface, member))
        if error is not None:
            raise Refused(error, f'{member} was to fail')

    def emit(self, path, interface, member, *values):
        signature = ''.join(kind for _, kind in INTERFACES[whole(interface)].signals[member])
        self._send(path, whole(interface), member, signature, *values)

    def _plant(self, path):
        if path in self.nodes:
            return
        above, _, name = path.rpartition('/')
        self._plant(above or '/')
        self.nodes[above or '/'].add(name)
        self.nodes[path] = set()

    def _uproot(self, path):
        while path != '/' and not self.nodes[path] and path not in self.objects and path not in self.managers:
            above, _, name = path.rpartition('/')
            del self.nodes[path]
            self.nodes[above or '/'].discard(name)
            path = above or '/'

    def _announce(self, path, member, signature, content):
        for manager in self.managers:
            if manager in parents(path):
                self._send(manager, MANAGER, member, signature, path, content)

    def _send(self, path, interface, member, signature, *values):
        if self.bus is not None:
            signal = SignalMessage(path, interface, member)
            signal.append(*values, signature=signature)
            self.bus.send_message(signal)

    # Its answers.

    def _receive(self, bus, message):
        if message.get_type() != MESSAGE_TYPE_METHOD_CALL:
            return HANDLER_RESULT_NOT_YET_HANDLED
        if self.is_silent:
            return HANDLER_RESULT_HANDLED
        try:
            signature, values = self._answer(message)
            answer = MethodReturnMessage(message)
            if signature:
                answer.append(*values, signature=signature)
        except Refused as error:
            answer = ErrorMessage(message, error.name, str(error))
        except Exception as error:  # A mistake of the simulator: the caller need not wait.
            traceback.print_exc()
            answer = ErrorMessage(message, whole('Common.Error.InternalFailure'), repr(error))
        if not message.get_no_reply():
            bus.send_message(answer)
        return HANDLER_RESULT_HANDLED

    def _look(self):
        for (interface, name), getter in self.getters.items():
            for path, shown in self.objects.items():
                if interface in shown:
                    shown[interface][name] = INTERFACES[interface].properties[name].value(getter(path))

    def _answer(self, message):
        self._look()
        path, interface, member = message.get_path(), message.get_interface(), message.get_member()
        values, given = message.get_args_list(), message.get_signature()
        if path not in self.nodes:
            raise unknown('Object', f'There is no object {path}')
        for name in self._interfaces(path):
            if interface in (None, name) and member in INTERFACES[name].methods:
                taken, returned = (
                    ''.join(kind for _, kind in each) for each in INTERFACES[name].methods[member]
                )
                if given != taken:
                    raise Refused('org.freedesktop.DBus.Error.InvalidArgs', f'{member} takes {taken}, not {given}')
                self._check(path, name, member)
                return self._perform(self.calls.get((name, member)), path, values, returned)
        raise unknown('Method', f'There is no method {member} of {interface} at {path}')

    def _interfaces(self, path):
        return [*STANDARD, *([MANAGER] if path in self.managers else []), *self.objects.get(path, {})]

    def _perform(self, behaviour, path, values, returned):
        result = behaviour(path, *values) if behaviour else None
        kinds = list(map(str, dbus.Signature(returned)))
        results = [] if not kinds else [result] if len(kinds) == 1 else result
        return returned, [typed(*pair) for pair in zip(kinds, results, strict=True)]

    def _introspect(self, path):
        shown = self.objects.get(path, {})
        parts = [INTERFACES[name].describe(shown.get(name, {})) for name in self._interfaces(path)]
        parts += [f' <node name="{child}"/>' for child in sorted(self.nodes[path])]
        return DOCTYPE + '\n'.join(['<node>', *parts, '</node>']) + '\n'

    def _find(self, path, interface, name):
        shown = self.objects.get(path, {}).get(interface)
        if shown is None:
            raise unknown('Interface', f'There is no interface {interface} at {path}')
        if name not in shown:
            raise unknown('Property', f'There is no property {name} of {interface} at {path}')
        return shown[name]

    def _get(self, path, interface, name):
        return self._find(path, interface, name)

    def _get_all(self, path, interface):
        if interface and interface not in self._interfaces(path):
            raise unknown('Interface', f'There is no interface {interface} at {path}')
        shown = self.objects.get(path, {})
        chosen = [shown.get(interface, {})] if interface else shown.values()
        return {name: value for each in chosen for name, value in each.items()}

    def _set(self, path, interface, name, value):
        self._find(path, interface, name)
        table = INTERFACES[interface]
        kind = table.properties[name]
        if table.access[name] != 'write':
            raise Refused('org.freedesktop.DBus.Error.PropertyReadOnly', f'{name} cannot be set')
        if signature_of(value) != kind.signature:
            text = f'{name} has the type {kind.signature}, not {signature_of(value)}'
            raise Refused('org.freedesktop.DBus.Error.InvalidArgs', text)
        if not kind.has(value):
            raise Refused('sdbusplus.Error.InvalidEnumString', f'{name} cannot be {value}')
        self._check(path, interface, name)
        setter = self.setters.get((interface, name))
        if setter is None or setter(path, value) is not False:
            self.store(path, interface, {name: value})

    def _managed(self, manager):
        below = manager.rstrip('/') + '/'
        empty = dict.fromkeys(STANDARD, {})
        return {path: {**empty, **shown} for path, shown in self.objects.items() if path.startswith(below)}
