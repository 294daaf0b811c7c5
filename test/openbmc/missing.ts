import { spawnSync } from 'node:child_process'
import { isInstalled } from '#test/host/hosts.ts'
import { missingPam } from './pam.ts'

/** The missing prerequisite of a simulated machine with OpenBMC; undefined if all are installed. */
export function missingOpenbmc(): string | undefined {
  if (!isInstalled('dbus-daemon')) return 'dbus-daemon: not here; install dbus'
  const { status } = spawnSync('/usr/bin/python3', ['-c', 'import dbus, gi'], { stdio: 'ignore' })
  return status === 0 ? missingPam() : 'its daemons: install python3-dbus and python3-gi'
}
