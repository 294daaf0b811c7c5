"""The mapper: who has which object, and the associations of objects."""

import re

from daemon import MANAGER, Daemon, Refused, parents
from interfaces import PREFIX, whole

PATH = '/xyz/openbmc_project/object_mapper'
DEFINITIONS = whole('Association.Definitions')
ASSOCIATION = whole('Association')


class Mapper(Daemon):
    def __init__(self):
        super().__init__(whole('ObjectMapper'), managers=['/'])
        self.add(PATH, {'ObjectMapper': {}, 'ObjectMapper.Private': {}})
        self.known = {}
        self.complete = set()
        self.refresh = lambda: None
        """Called before each answer: it has what was there when it was asked for."""
        self.answer(
            'ObjectMapper',
            GetObject=self._object,
            GetAncestors=self._ancestors,
            GetSubTree=self._subtree,
            GetSubTreePaths=lambda *call: list(self._subtree(*call)),
            GetAssociatedSubTree=self._associated,
            GetAssociatedSubTreePaths=lambda *call: list(self._associated(*call)),
        )

    def update(self, daemons):
        """Looks at the daemons of OpenBMC that have their names."""
        named = [daemon for daemon in daemons if daemon.is_named and daemon.names[0].startswith(PREFIX)]
        others = [daemon for daemon in named if daemon is not self]
        self.known = known(others)
        self._associate(others)
        self.known = known(named)
        names = {name for daemon in others for name in daemon.names}
        for name in sorted(names - self.complete):
            self.emit(PATH, 'ObjectMapper.Private', 'IntrospectionComplete', name)
        self.complete = names

    def _associate(self, daemons):
        wanted = {}
        for path, name, end in definitions(daemons):
            if is_path(f'{path}/{name}') and end in self.known and (path in self.known or path in self.objects):
                wanted.setdefault(f'{path}/{name}', {})[end] = True
        for path in [path for path, shown in self.objects.items() if ASSOCIATION in shown]:
            if path not in wanted:
                self.remove(path, 'Association')
        for path, ends in wanted.items():
            if self.has(path, 'Association'):
                self.set(path, 'Association', endpoints=sorted(ends))
            else:
                self.add(path, {'Association': {'endpoints': sorted(ends)}})

    def _need(self, path):
        self.refresh()
        path = path.rstrip('/')
        if path and path not in self.known:
            raise Refused('Common.Error.ResourceNotFound', f'There is no object {path}')
        return path

    def _object(self, _, path, interfaces):
        self.refresh()
        found = matching(self.known.get(path, {}), interfaces)
        if not found:
            raise Refused('Common.Error.ResourceNotFound', f'There is no object {path} with these interfaces')
        return found

    def _ancestors(self, _, path, interfaces):
        path = self._need(path)
        above = {each: matching(self.known[each], interfaces) for each in parents(path) if each in self.known}
        return {each: found for each, found in above.items() if found}

    def _subtree(self, _, subtree, depth, interfaces):
        root = self._need(subtree) + '/'
        below = {}
        for path, services in self.known.items():
            if path.startswith(root) and (depth <= 0 or path.count('/', len(root) - 1) <= depth) and path != root:
                found = matching(services, interfaces)
                if found:
                    below[path] = found
        return below

    def _associated(self, _, path, subtree, depth, interfaces):
        self.refresh()
        if not self.has(path, 'Association'):
            return {}
        ends = self.read(path, 'Association', 'endpoints')
        return {end: found for end, found in self._subtree(_, subtree, depth, interfaces).items() if end in ends}


def is_path(text):
    return re.fullmatch('(/[A-Za-z0-9_]+)+', text) is not None


def known(daemons):
    """The services that have each object, with their interfaces. The nodes above objects are known as well."""
    found = {}
    for daemon in daemons:
        for path in daemon.nodes:
            interfaces = [*daemon.objects.get(path, {}), *([MANAGER] if path in daemon.managers else [])]
            services = found.setdefault(path, {})
            if interfaces:
                services.update(dict.fromkeys(daemon.names, interfaces))
    return dict(sorted(found.items()))


def matching(services, interfaces):
    wanted = set(interfaces)
    return {name: has for name, has in services.items() if not wanted or wanted.intersection(has)}


def definitions(daemons):
    """Both directions of each association that daemons define: from which object, its name, to which object."""
    for daemon in daemons:
        for path, shown in daemon.objects.items():
            for forward, reverse, end in shown.get(DEFINITIONS, {}).get('Associations', []):
                if forward:
                    yield path, str(forward), str(end)
                if reverse:
                    yield str(end), str(reverse), path
