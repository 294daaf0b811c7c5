// own process: it starts what was built
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts, isInstalled } from '#test/host/hosts.ts'
import { directory, password, type Server, start } from '#test/host/server.ts'
import { missingMachine } from '#test/ovmf/machine.ts'
import { freePort } from './free-port.ts'
import { bash, blocks } from './pages.ts'

t.setTimeout(900_000)

const missingDiscMaker = ['grub-mkrescue', 'xorriso', 'mformat', 'openssl'].every(isInstalled)
  ? undefined
  : 'discs: install grub-common grub-efi-amd64-bin xorriso mtools openssl'

for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
  needing(
    `the tour of the virtual machine works as printed, on ${host.name}`,
    host.missing ?? missingMachine ?? missingDiscMaker,
    async (t) => {
      const [, ...steps] = blocks('docs/tours/virtual-machine.md')
      const server = await start(t, host, { data: directory(t), args: ['--board', 'qemu'] })
      const pid = join(server.data, 'machine/vm-1.pid')
      const lines = steps
        .join('')
        .replaceAll('localhost:8443', `127.0.0.1:${server.port}`)
        .replaceAll('Tour-of-5-minutes', password)
        .replaceAll('minnow-data', server.data)
        .replaceAll('8444', String(await freePort()))
      const { status, printed } = await bash(`trap 'kill $(jobs -p) || true' EXIT\n${lines}`)
      const state = status === 0 ? '' : await described(server)
      stop(pid)
      if (!t.equal(status, 0, `${printed}\n${state}`)) return
      const shown = ['starting Boot', '"PowerState":"On"', 'Hello from the disc', '"PowerState":"Off"']
      let at = 0
      for (const each of shown) {
        at = printed.indexOf(each, at) + each.length
        t.ok(at >= each.length, `${each}, then: ${printed}`)
      }
    }
  )
}

/** The state of a machine that a tour waited for in vain, to tell a guest that hangs from a service that does. */
async function described(server: Server): Promise<string> {
  const folder = join(server.data, 'machine')
  const pids = [server.process.pid, Number(readFileSync(join(folder, 'vm-1.pid'), { encoding: 'utf8', flag: 'a+' }))]
  const processes = pids.map((pid) => spawnSync('cat', [`/proc/${pid}/stat`, `/proc/${pid}/wchan`]).stdout.toString())
  const serial = readFileSync(join(folder, 'vm-1.serial.log'), { encoding: 'utf8', flag: 'a+' }).slice(-500)
  const system = await Promise.race([
    server.get('/redfish/v1/Systems/1/?$select=PowerState,BootProgress,Status').then(({ text }) => text),
    setTimeout(10_000, 'no answer', { ref: false })
  ]).catch(String)
  return JSON.stringify({ log: server.process.stderr, files: readdirSync(folder), processes, serial, system })
}

/** A machine that a broken tour left behind. */
function stop(file: string): void {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL')
  } catch {
    // It is off.
  }
}
