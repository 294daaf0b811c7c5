"""
Compares what the services on a bus say about themselves, by GLib's client: audit.py ADDRESS. Prints how many objects it
has seen, and a line for each contradiction between introspection, Properties, ObjectManager and the mapper.
"""

import sys

from gi.repository import Gio, GLib

MAPPER = 'xyz.openbmc_project.ObjectMapper'
PROPERTIES = 'org.freedesktop.DBus.Properties'
MANAGER = 'org.freedesktop.DBus.ObjectManager'
STANDARD = {'org.freedesktop.DBus.Peer', 'org.freedesktop.DBus.Introspectable', PROPERTIES}
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
seen = 0


def call(service, path, interface, member, values=None):
    return bus.call_sync(service, path, interface, member, values, None, Gio.DBusCallFlags.NONE, 5000, None)[0]


def typed(service, path, interface, member, values=None):
    answer = bus.call_sync(service, path, interface, member, values, None, Gio.DBusCallFlags.NONE, 5000, None)
    return answer.get_child_value(0)


def entries(dictionary):
    """The entries of a dictionary, with the types of its values."""
    pairs = [dictionary.get_child_value(at) for at in range(dictionary.n_children())]
    return {pair.get_child_value(0).unpack(): pair.get_child_value(1) for pair in pairs}


def check(is_right, *words):
    if not is_right:
        print(*words)


def visit(service, path):
    """All objects below a path: their properties as text, by interface."""
    global seen
    seen += 1
    node = Gio.DBusNodeInfo.new_for_xml(call(service, path, 'org.freedesktop.DBus.Introspectable', 'Introspect'))
    interfaces = {}
    for shown in node.interfaces:
        properties = entries(typed(service, path, PROPERTIES, 'GetAll', GLib.Variant('(s)', [shown.name])))
        declared = {each.name: each.signature for each in shown.properties}
        given = {name: value.get_variant().get_type_string() for name, value in properties.items()}
        check(declared == given, service, path, shown.name, 'declares', declared, 'and has', given)
        interfaces[shown.name] = {name: value.print_(True) for name, value in properties.items()}
    found = {path: interfaces}
    for child in node.nodes:
        found |= visit(service, f'{path.rstrip("/")}/{child.path}')
    return found


def audit(service):
    found = visit(service, '/')
    for manager in [path for path, interfaces in found.items() if MANAGER in interfaces]:
        managed = {
            path: {
                name: {each: value.print_(True) for each, value in entries(properties).items()}
                for name, properties in entries(interfaces).items()
            }
            for path, interfaces in entries(typed(service, manager, MANAGER, 'GetManagedObjects')).items()
        }
        below = {
            path: interfaces
            for path, interfaces in found.items()
            if path.startswith(f'{manager.rstrip("/")}/') and path != '/' and set(interfaces) - STANDARD - {MANAGER}
        }
        check(managed == below, service, manager, 'manages', set(managed) ^ set(below) or 'other properties')
    return found


services = [name for name in call('org.freedesktop.DBus', '/', 'org.freedesktop.DBus', 'ListNames') if name[0] != ':']
known = call(MAPPER, '/xyz/openbmc_project/object_mapper', MAPPER, 'GetSubTree', GLib.Variant('(sias)', ['/', 0, []]))
for service in sorted(services):
    if service == 'org.freedesktop.DBus':
        continue
    for path, interfaces in audit(service).items():
        mapped = set(known.get(path, {}).get(service, []))
        wanted = set(interfaces) - STANDARD if service.startswith('xyz.') and path != '/' else set()
        check(mapped == wanted, service, path, 'has', wanted, 'and the mapper', mapped)
print('objects:', seen)
