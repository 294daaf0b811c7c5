"""What an operator of bare-metal servers does with sushy: log in, read everything, set the boot device, switch.

Usage: sushy_client.py URL USER PASSWORD basic|session
"""
import sys
import time

import sushy
import urllib3
from sushy import auth
from sushy.resources import base

urllib3.disable_warnings()
url, user, password, kind = sys.argv[1:]
login = {'basic': auth.BasicAuth, 'session': auth.SessionAuth}[kind](user, password)
root = sushy.Sushy(url, verify=False, auth=login)
system = root.get_system()


def read_all():
    """Reads every field of every resource that sushy knows and the service links to."""
    found = [root, system, *root.get_chassis_collection().get_members(), *root.get_manager_collection().get_members()]
    found += [*system.chassis, *system.managers, root.get_session_service(), root.get_session_service().sessions]
    for resource in found:
        for name, field in vars(type(resource)).items():
            if isinstance(field, base.Field):
                getattr(resource, name)
        print(resource.path)
    for file in root._get_registry_collection().get_members():
        registry = file.get_message_registry('en', None)
        entries = registry.messages if registry else file.get_attribute_registry('en', None).registry_entries.attributes
        assert entries, f'{file.registry} is empty'
        print(file.registry, len(entries))


def await_power(state):
    """Reads the system until its power is in a state, for ten seconds at most."""
    for _ in range(100):
        system.refresh(force=True)
        if system.power_state == state:
            return
        time.sleep(0.1)
    raise SystemExit(f'{system.power_state}, not {state}')


read_all()
if kind == 'session':
    session = root.get_session(login._session_resource_id)
    assert session.username == user, session.username

assert system.get_allowed_reset_system_values() >= {sushy.RESET_TYPE_ON, sushy.RESET_TYPE_FORCE_OFF}
assert sushy.BOOT_SOURCE_TARGET_PXE in system.get_allowed_system_boot_source_values()
system.set_system_boot_options(target=sushy.BOOT_SOURCE_TARGET_PXE, enabled=sushy.BOOT_SOURCE_ENABLED_ONCE)
system.refresh(force=True)
assert system.boot.target == sushy.BOOT_SOURCE_TARGET_PXE, system.boot.target
assert system.boot.enabled == sushy.BOOT_SOURCE_ENABLED_ONCE, system.boot.enabled

attribute = 'BootPromptSeconds'
before = system.bios.attributes[attribute]
after = 17 - before
system.bios.set_attribute(attribute, after)
system.bios.refresh(force=True)
assert system.bios.pending_attributes[attribute] == after, system.bios.pending_attributes
assert system.bios.attributes[attribute] == before, 'it took effect without a reset'
assert system.secure_boot.mode == sushy.SECURE_BOOT_MODE_SETUP, system.secure_boot.mode
assert len(system.secure_boot.databases.get_members()) == 12

system.reset_system(sushy.RESET_TYPE_FORCE_OFF)
await_power(sushy.POWER_STATE_OFF)
system.reset_system(sushy.RESET_TYPE_ON)
await_power(sushy.POWER_STATE_ON)
assert system.boot.enabled == sushy.BOOT_SOURCE_ENABLED_DISABLED, 'the override held longer than once'
system.bios.refresh(force=True)
assert system.bios.attributes[attribute] == after, system.bios.attributes[attribute]

try:
    root.get_system('/redfish/v1/Systems/nowhere/')
except sushy.exceptions.ResourceNotFoundError:
    login.close()
    print('done')
else:
    raise SystemExit('a system that does not exist was found')
