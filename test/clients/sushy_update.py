"""Updates the controller of a server with sushy.

Usage: sushy_update.py URL USER PASSWORD IMAGE
"""
import sys
import time

import sushy
import urllib3
from sushy import auth

urllib3.disable_warnings()
url, user, password, image = sys.argv[1:]
root = sushy.Sushy(url, verify=False, auth=auth.BasicAuth(user, password))
service = root.get_update_service()
assert service.service_enabled and service.status.state == sushy.STATE_ENABLED
members = service.firmware_inventory.get_members()
assert {member.identity for member in members} == {'Manager-1-A', 'Manager-1-B', 'BIOS-1'}
assert service.software_inventory.get_members() == []
version = image.rsplit('/', 1)[1].removesuffix('.update')
monitor = service.simple_update(image, transfer_protocol=sushy.UPDATE_PROTOCOL_HTTPS)
assert monitor.task_monitor_uri.startswith('/redfish/v1/TaskService/Tasks/'), monitor.task_monitor_uri
for _ in range(60):
    try:
        if root.get_manager('/redfish/v1/Managers/1/').firmware_version == version:
            break
    except sushy.exceptions.SushyError:
        pass  # it is being reset
    time.sleep(0.5)
else:
    raise SystemExit(f'{version} does not run')
print('done')
