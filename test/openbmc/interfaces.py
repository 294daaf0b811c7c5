"""The table of interfaces, read from interfaces.txt, and values of their types."""

import math
import os
from pathlib import Path

import dbus

PREFIX = 'xyz.openbmc_project.'

BASIC = {
    'y': dbus.Byte, 'b': dbus.Boolean, 'n': dbus.Int16, 'q': dbus.UInt16, 'i': dbus.Int32, 'u': dbus.UInt32,
    'x': dbus.Int64, 't': dbus.UInt64, 'd': dbus.Double, 's': dbus.String, 'o': dbus.ObjectPath, 'g': dbus.Signature,
}
ACCESS = 'const', 'read', 'live'
# The kinds of properties whose changes are not told, and the word of introspection for that.
QUIET = {'const': 'const', 'live': 'false'}
KINDS = {kind: letter for letter, kind in BASIC.items()}


def typed(signature, value, level=0):
    """A value of D-Bus. A variant is given as a pair, `('s', 'text')`, unless it already is one."""
    kind, rest = signature[0], signature[1:]
    if kind == 'v':
        return value if getattr(value, 'variant_level', 0) else typed(*value, level + 1)
    if kind == 'h':
        descriptor = dbus.types.UnixFd(value)
        os.close(value)
        return descriptor
    if kind == '(':
        members = tuple(typed(*pair) for pair in zip(dbus.Signature(rest[:-1]), value, strict=True))
        return dbus.Struct(members, signature=rest[:-1], variant_level=level)
    if kind == 'a' and rest[0] == '{':
        key, content = dbus.Signature(rest[1:-1])
        members = {typed(key, name): typed(content, each) for name, each in value.items()}
        return dbus.Dictionary(members, signature=rest[1:-1], variant_level=level)
    if kind == 'a':
        return dbus.Array([typed(rest, each) for each in value], signature=rest, variant_level=level)
    return BASIC[kind](value, variant_level=level)


def signature_of(value):
    """The signature of a value that was received, without the variant around it."""
    if isinstance(value, dbus.Struct):
        return f'({"".join(map(member, value))})'
    if isinstance(value, dbus.Dictionary):
        return f'a{{{value.signature}}}'
    if isinstance(value, dbus.Array):
        return f'a{value.signature}'
    return KINDS.get(type(value), 'h')


def member(value):
    return 'v' if getattr(value, 'variant_level', 0) else signature_of(value)


def is_same(one, other):
    are_numbers = isinstance(one, float) and isinstance(other, float)
    return one == other or (are_numbers and math.isnan(one) and math.isnan(other))


class Type:
    """A signature and, of an enumeration, its values."""

    def __init__(self, text, enumerations):
        name = text.strip('[]')
        self.prefix, self.values = enumerations.get(name, (None, None))
        self.signature = text if self.values is None else 'as' if text.startswith('[') else 's'

    def default(self, text):
        if text is None and self.values and self.signature == 's':
            text = self.values[0]
        if self.signature == 'd':
            return self.value(float(text or 0))
        if self.signature in 'ynqiuxt':
            return self.value(int(text or 0))
        if self.signature[0] in 'a':
            return self.value({} if self.signature.startswith('a{') else [])
        if self.signature[0] == '(':
            inner = [Type(str(part), {}).default(None) for part in dbus.Signature(self.signature[1:-1])]
            return self.value(inner)
        return self.value(text == 'true' if self.signature == 'b' else text or ('/' if self.signature == 'o' else ''))

    def value(self, plain):
        """A property's content. A value of an enumeration may be given without the name of the enumeration."""
        if self.values is not None:
            plain = self.whole(plain) if self.signature == 's' else [self.whole(each) for each in plain]
        return typed(self.signature, plain, 1)

    def whole(self, name):
        return f'{self.prefix}.{name}' if name in self.values else name

    def has(self, value):
        if self.values is None:
            return True
        named = [value] if self.signature == 's' else value
        return all(each in map(self.whole, self.values) for each in named)


class Interface:
    def __init__(self, name, lines):
        self.name = name
        self.properties, self.access, self.defaults, self.methods, self.signals = {}, {}, {}, {}, {}
        words = [line.split() for line in lines]
        enumerations = {each[1]: (f'{name}.{each[1]}', each[2:]) for each in words if each[0] == 'enum'}
        for kind, *rest in words:
            if kind == 'method':
                at = rest.index('->') if '->' in rest else len(rest)
                self.methods[rest[0]] = arguments(rest[1:at], enumerations), arguments(rest[at + 1 :], enumerations)
            elif kind == 'signal':
                self.signals[rest[0]] = arguments(rest[1:], enumerations)
            elif kind != 'enum':
                access, (each, of, *default) = (kind, rest) if kind in ACCESS else ('write', [kind, *rest])
                self.access[each] = access
                self.properties[each] = Type(of, enumerations)
                self.defaults[each] = self.properties[each].default(default[1] if default else None)

    def describe(self, properties):
        """The interface in the words of introspection, with those of its properties that an object has."""
        text = [f' <interface name="{self.name}">']
        for name, (given, returned) in self.methods.items():
            parts = [argument(*each, ' direction="in"') for each in given]
            parts += [argument(*each, ' direction="out"') for each in returned]
            text.append(element('method', name, parts))
        for name, given in self.signals.items():
            text.append(element('signal', name, [argument(*each, '') for each in given]))
        for name in properties:
            access = 'readwrite' if self.access[name] == 'write' else 'read'
            attributes = f'name="{name}" type="{self.properties[name].signature}" access="{access}"'
            quiet = QUIET.get(self.access[name])
            note = f'<annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="{quiet}"/>'
            text.append(f'  <property {attributes}>{note}</property>' if quiet else f'  <property {attributes}/>')
        return '\n'.join([*text, ' </interface>'])


def arguments(words, enumerations):
    pairs = [word.split(':') for word in words]
    return [(name, Type(kind, enumerations).signature) for name, kind in pairs]


def argument(name, signature, direction):
    return f'<arg name="{name}" type="{signature}"{direction}/>'


def element(kind, name, parts):
    return f'  <{kind} name="{name}">{"".join(parts)}</{kind}>' if parts else f'  <{kind} name="{name}"/>'


def whole(name):
    """The name of an interface or service, with the prefix of OpenBMC where it has no other."""
    return name if name.startswith(('org.', 'com.', PREFIX)) else f'{PREFIX}{name}'


def read():
    found, name = {}, ''
    for line in Path(__file__).with_name('interfaces.txt').read_text().splitlines():
        if line.startswith(' '):
            found[name].append(line)
        elif line and not line.startswith('#'):
            name = whole(line)
            found[name] = []
    return {name: Interface(name, lines) for name, lines in found.items()}


INTERFACES = read()
