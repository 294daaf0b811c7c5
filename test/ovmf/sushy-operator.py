"""What an operator of bare-metal servers does to one server with sushy, one step at a time.

Usage: sushy-operator.py URL USER PASSWORD STEP [ARGUMENT...]
Prints what the server then is: its power state, the boot override, what is in its optical drive.
"""
import sys

import sushy
import urllib3
from sushy import auth

urllib3.disable_warnings()
url, user, password, step, *arguments = sys.argv[1:]
root = sushy.Sushy(url, verify=False, auth=auth.BasicAuth(user, password))
system = root.get_system()
drive = root.get_manager_collection().get_members()[0].virtual_media.get_members()[0]

if step == 'reset':
    system.reset_system(sushy.ResetType(arguments[0]))
elif step == 'boot':
    system.set_system_boot_options(target=sushy.BootSource(arguments[0]),
                                   enabled=sushy.BootSourceOverrideEnabled(arguments[1]))
elif step == 'insert':
    drive.insert_media(arguments[0])
elif step == 'eject':
    drive.eject_media()  # It hides what the service answers.
    drive.refresh(force=True)
    if drive.image:
        raise SystemExit(f'{drive.image} is not ejected')
elif step == 'bios':
    system.bios.set_attribute(*arguments)
elif step == 'secure-boot':
    system.secure_boot.set_enabled(arguments[0] == 'on')
elif step != 'show':
    raise SystemExit(f'{step} is no step')

system.refresh(force=True)
drive.refresh(force=True)
print(system.power_state.value, system.boot.target.value, system.boot.enabled.value, drive.image)
