"""Settings that a daemon keeps for others, and the groups of LEDs."""

from daemon import Daemon
from interfaces import whole
from inventory import CHASSIS, SMBIOS

CONTROL = '/xyz/openbmc_project/control'
BOOT = f'{CONTROL}/host0/boot'
LEDS = '/xyz/openbmc_project/led/groups'
SYNCHRONIZATION = '/xyz/openbmc_project/time/sync_method'
GROUPS = {
    'enclosure_identify': [('identified_by', 'identifying', CHASSIS)],
    'enclosure_fault': [('fault_identified_by', 'fault_identifying', CHASSIS)],
    'fan0_fault': [('fault_inventory_object', 'fault_led_group', f'{SMBIOS}/fan0')],
    'bmc_booted': [],
    'power_on': [],
}


def settings():
    daemon = Daemon(whole('Settings'), managers=['/'])
    boot = {'Control.Boot.Source': {}, 'Control.Boot.Mode': {}, 'Control.Boot.Type': {}}
    daemon.add(BOOT, {**boot, 'Object.Enable': {'Enabled': False}})
    daemon.add(f'{BOOT}/one_time', {**boot, 'Object.Enable': {'Enabled': False}})
    for path in (f'{CONTROL}/host0/power_restore_policy', f'{CONTROL}/host0/power_restore_policy/one_time'):
        policy = 'None' if path.endswith('one_time') else 'Restore'
        daemon.add(path, {'Control.Power.RestorePolicy': {'PowerRestorePolicy': policy}})
    cap = {'PowerCap': 900, 'MinPowerCapValue': 300, 'MaxPowerCapValue': 1600, 'MinSoftPowerCapValue': 200}
    daemon.add(f'{CONTROL}/host0/power_cap', {'Control.Power.Cap': cap})
    daemon.add(f'{CONTROL}/host0/auto_reboot', {'Control.Boot.RebootPolicy': {}})
    daemon.add(SYNCHRONIZATION, {'Time.Synchronization': {}})
    daemon.add('/xyz/openbmc_project/logging/settings', {'Logging.Settings': {}})
    apply = {'RequestedApplyTime': 'OnReset'}
    daemon.add('/xyz/openbmc_project/software/apply_time', {'Software.ApplyTime': apply})
    return daemon


def leds():
    daemon = Daemon(whole('LED.GroupManager'), managers=[LEDS])
    for group, links in GROUPS.items():
        daemon.add(f'{LEDS}/{group}', {'Led.Group': {'Asserted': group == 'bmc_booted'}})
        if links:
            daemon.add(f'{LEDS}/{group}', {'Association.Definitions': {'Associations': links}})
    return daemon
