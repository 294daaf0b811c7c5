import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { needing } from '../host/every-host.ts'
import { hosts } from '../host/hosts.ts'
import { directory, password, start } from '../host/server.ts'
import { missingMachine } from '../ovmf/machine.ts'
import { bash, blocks } from './readme.ts'

t.setTimeout(300_000)

for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
  needing(
    `the tour of the virtual machine works as printed, on ${host.name}`,
    host.missing ?? missingMachine,
    async (t) => {
      const [, ...steps] = blocks('A tour: manage a virtual machine')
      const server = await start(t, host, { data: directory(t), args: ['--board', 'qemu'] })
      const pid = join(server.data, 'machine/vm-1.pid')
      const lines = steps
        .join('echo\n')
        .replaceAll('localhost:8443', `127.0.0.1:${server.port}`)
        .replaceAll('Tour-of-5-minutes', password)
        .replaceAll('minnow-data', server.data)
      const { status, printed } = await bash(lines).finally(() => stop(pid))
      t.equal(status, 0, printed)
      t.ok(printed.indexOf('"PowerState":"On"') >= 0, printed)
      t.ok(printed.indexOf('"PowerState":"Off"') > printed.indexOf('"PowerState":"On"'), printed)
      t.match(printed, /UEFI|Shell|startup/, 'the firmware said something')
    }
  )
}

/** A machine that a broken tour left behind. */
function stop(file: string): void {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL')
  } catch {
    // It is off.
  }
}
