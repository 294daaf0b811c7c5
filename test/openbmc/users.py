"""Users, their groups and privileges, and the policy of accounts."""

import re

from daemon import Daemon, Refused

USERS = '/xyz/openbmc_project/user'
PRIVILEGES = 'priv-admin', 'priv-operator', 'priv-user'
GROUPS = 'hostconsole', 'ipmi', 'redfish', 'ssh'
LONGEST_FOR_IPMI, LONGEST, MOST = 16, 30, 30
SHORTEST_PASSWORD = 8


class Users(Daemon):
    def __init__(self):
        super().__init__('xyz.openbmc_project.User.Manager', managers=[USERS])
        all_names = {'AllPrivileges': PRIVILEGES, 'AllGroups': GROUPS}
        self.add(USERS, {'User.Manager': all_names, 'User.AccountPolicy': {}})
        self._put('root', GROUPS, 'priv-admin', True)
        self._put('observer', ['redfish'], 'priv-user', True)
        self.answer('User.Manager', CreateUser=self._create, RenameUser=self._rename, GetUserInfo=self._info)
        self.answer('User.Manager', CreateGroups=self._create_groups, DeleteGroups=self._delete_groups)
        self.answer('Object.Delete', Delete=self.remove)
        self.guard('User.AccountPolicy', MinPasswordLength=self._check_length)
        self.guard(
            'User.Attributes',
            UserPrivilege=lambda _, privilege: check_privilege(privilege),
            UserGroups=lambda path, groups: self._check_groups(path.rpartition('/')[2], groups),
            UserLockedForFailedAttempt=self._check_lock,
        )

    def _put(self, name, groups, privilege, is_enabled):
        attributes = {'UserGroups': sorted(groups), 'UserPrivilege': privilege, 'UserEnabled': is_enabled}
        self.add(f'{USERS}/{name}', {'User.Attributes': attributes, 'Object.Delete': {}})

    def _names(self):
        return [path.rpartition('/')[2] for path in self.objects if path != USERS]

    def _need(self, name):
        if name not in self._names():
            raise Refused('User.Common.Error.UserNameDoesNotExist', f'There is no user {name}')
        return f'{USERS}/{name}'

    def _check_new(self, name, groups):
        if name in self._names():
            raise Refused('User.Common.Error.UserNameExists', f'There is a user {name}')
        if len(name) > LONGEST or not re.fullmatch('[A-Za-z_][A-Za-z_0-9]*', name):
            raise Refused('Common.Error.InvalidArgument', f'{name} is not a name of a user')
        self._check_groups(name, groups)

    def _check_groups(self, name, groups):
        for group in groups:
            if group not in self.read(USERS, 'User.Manager', 'AllGroups'):
                raise Refused('Common.Error.InvalidArgument', f'There is no group {group}')
        if 'ipmi' in groups and len(name) > LONGEST_FOR_IPMI:
            raise Refused('User.Common.Error.UserNameGroupFail', f'{name} is too long for IPMI')

    def _create(self, _, name, groups, privilege, is_enabled):
        check_privilege(privilege)
        self._check_new(name, groups)
        if len(self._names()) >= MOST:
            raise Refused('User.Common.Error.NoResource', f'There are {MOST} users')
        self._put(name, groups, privilege, is_enabled)

    def _rename(self, _, name, new):
        path = self._need(name)
        self._check_new(new, self.read(path, 'User.Attributes', 'UserGroups'))
        self.emit(USERS, 'User.Manager', 'UserRenamed', name, new)
        attributes = dict(self.objects[path]['xyz.openbmc_project.User.Attributes'])
        self.remove(path)
        self.add(f'{USERS}/{new}', {'User.Attributes': attributes, 'Object.Delete': {}})

    def _info(self, _, name):
        shown = self.objects[self._need(name)]['xyz.openbmc_project.User.Attributes']
        return {each: value for each, value in shown.items() if each != 'PasswordExpiration'}

    def _create_groups(self, _, names):
        groups = list(self.read(USERS, 'User.Manager', 'AllGroups'))
        for name in names:
            if name in groups:
                raise Refused('User.Common.Error.GroupNameExists', f'There is a group {name}')
            groups.append(name)
        self.set(USERS, 'User.Manager', AllGroups=groups)

    def _delete_groups(self, _, names):
        groups = list(self.read(USERS, 'User.Manager', 'AllGroups'))
        for name in names:
            if name not in groups:
                raise Refused('User.Common.Error.GroupNameDoesNotExist', f'There is no group {name}')
            groups.remove(name)
        self.set(USERS, 'User.Manager', AllGroups=groups)

    def _check_length(self, _, length):
        if length < SHORTEST_PASSWORD:
            raise Refused('Common.Error.InvalidArgument', f'Passwords have at least {SHORTEST_PASSWORD} characters')

    def _check_lock(self, _, is_locked):
        if is_locked:
            raise Refused('Common.Error.InvalidArgument', 'A user can be unlocked only')


def check_privilege(privilege):
    if privilege and privilege not in PRIVILEGES:
        raise Refused('Common.Error.InvalidArgument', f'There is no privilege {privilege}')
