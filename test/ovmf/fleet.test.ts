// needs: grub-mkimage
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { client, startFleet } from '#test/host/fleets.ts'
import { hosts } from '#test/host/hosts.ts'
import { directory } from '#test/host/server.ts'
import { makeDisc, missingDisc } from './disc.ts'
import { missingMachine } from './machine.ts'

t.setTimeout(1_200_000)

/** A guest that says who it is on its console, and switches itself off. @returns the file */
function buildGuest(folder: string): string {
  const file = join(folder, 'guest.efi')
  const commands = 'smbios --type 1 --get-string 7 --set serial\necho "guest: $serial"\nhalt\n'
  writeFileSync(join(folder, 'guest.cfg'), commands)
  const args = ['-O', 'x86_64-efi', '-p', '/', '-c', join(folder, 'guest.cfg'), '-o', file, 'smbios', 'echo', 'halt']
  const { status, stderr } = spawnSync('grub-mkimage', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return file
}

for (const host of hosts.filter(({ name }) => name !== 'ARMv7'))
  needing(`virtual machines of a fleet, on ${host.name}`, host.missing ?? missingMachine ?? missingDisc, async (t) => {
    const data = directory(t)
    const boot = join(data, 'boot')
    mkdirSync(boot)
    const disc = makeDisc(join(data, 'disc.iso'), buildGuest(boot), 'GUEST')
    const network = `user,model=virtio-net-pci,tftp=${boot},bootfile=guest.efi`
    const machine = { memory: 128, diskSize: 64, network }
    const groups = [{ count: 2, board: 'qemu', network: '127.24.1.0/24', port: 0, machine }]
    const file = join(data, 'fleet.json')
    writeFileSync(file, JSON.stringify({ data, configuration: { media: { directory: data } }, groups }))
    const ask = client(t)
    const pidFile = (number: number) => join(data, `controllers/${number}/machine/vm-1.pid`)
    let { process: fleet, members } = await startFleet(t, host, data, file)
    const at = (number: number) => members[number - 1]!.url

    const shows = async (number: number) => (await ask('GET', `${at(number)}Systems/1/`)).json
    const resets = async (number: number, ResetType: string, state: string) => {
      const target = `${at(number)}Systems/1/Actions/ComputerSystem.Reset/`
      t.equal((await ask('POST', target, { ResetType })).status, 200)
      while ((await shows(number)).PowerState !== state) await pause(200)
    }
    const boots = async (number: number, BootSourceOverrideTarget: string, state: string) => {
      const Boot = { BootSourceOverrideTarget, BootSourceOverrideEnabled: 'Once' }
      t.equal((await ask('PATCH', `${at(number)}Systems/1/`, { Boot })).status, 200)
      await resets(number, 'On', state)
      t.equal((await shows(number)).Boot.BootSourceOverrideEnabled, 'Disabled')
    }
    t.teardown(() => {
      for (const number of [1, 2]) spawnSync('pkill', ['-F', pidFile(number)])
    })

    await t.test('one boots from the network and one from virtual media, each as itself', async (t) => {
      const insert = `${at(2)}Managers/1/VirtualMedia/1/Actions/VirtualMedia.InsertMedia/`
      t.equal((await ask('POST', insert, { Image: `file://${disc}` })).status, 200)
      await Promise.all([boots(1, 'Pxe', 'Off'), boots(2, 'Cd', 'Off')])
      for (const number of [1, 2]) {
        const { text } = await ask('GET', `${at(number)}Systems/1/SerialConsole`)
        t.match(text, `guest: VM-1-0000${number}`)
        t.equal(statSync(join(data, `controllers/${number}/machine/disk-1.img`)).size, 67_108_864)
      }
    })

    await t.test('one that runs when the fleet is killed is found again', async (t) => {
      await boots(1, 'BiosSetup', 'On')
      const pid = readFileSync(pidFile(1), 'utf8')
      await fleet.kill('SIGKILL')
      ;({ process: fleet, members } = await startFleet(t, host, data, file))
      t.equal((await shows(1)).PowerState, 'On')
      t.equal(readFileSync(pidFile(1), 'utf8'), pid)
      t.equal((await shows(2)).PowerState, 'Off')
      await resets(1, 'ForceOff', 'Off')
      t.equal((await fleet.kill('SIGTERM')).status, 0)
    })
  })
