// needs: qemu-system-x86_64
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onBothHosts } from './every-host.ts'
import { isInstalled } from './hosts.ts'
import { directory, type Json, start } from './server.ts'

const missing =
  isInstalled('qemu-system-x86_64') && existsSync('/usr/share/OVMF/OVMF_CODE_4M.secboot.fd')
    ? undefined
    : 'qemu-system-x86 and ovmf'
const skip = missing !== undefined && process.env.CI !== 'true' && `it needs ${missing}`

const drive = '/redfish/v1/Systems/1/Storage/disk/Drives/1/'
const size = 8 * 1024 * 1024

onBothHosts(async (t, host) => {
  t.test('the disk of a virtual machine that is off is erased, and no byte of it is left', { skip }, async (t) => {
    const image = join(directory(t), 'disk, of it.img')
    writeFileSync(image, Buffer.alloc(size, 'secret '))
    const server = await start(t, host, {
      args: ['--board', 'qemu'],
      configuration: { machine: { disk: image }, eraseTime: 0.1 }
    })
    const { json } = await server.get(drive)
    t.same(json.Actions['#Drive.SecureErase']['SanitizationType@Redfish.AllowableValues'], ['Overwrite'])
    t.equal(json.CapacityBytes, null)
    const { status, headers } = await server.post(json.Actions['#Drive.SecureErase'].target, {})
    t.equal(status, 202)
    const task = await server.until(
      () => server.get(new URL(String(headers.location), 'https://bmc').pathname),
      (answer: { json: Json }) => answer.json.TaskState !== 'Running'
    )
    t.equal(task.json.TaskState, 'Completed')
    const left = readFileSync(image)
    t.equal(left.length, size)
    t.ok(left.equals(Buffer.alloc(size)))
  })

  t.test('a disk that cannot be erased is the end of the task', { skip }, async (t) => {
    const server = await start(t, host, {
      args: ['--board', 'qemu'],
      configuration: { machine: { disk: '/no/disk.img' }, eraseTime: 0.1 }
    })
    const { headers } = await server.post(`${drive}Actions/Drive.SecureErase/`, {})
    const task = await server.until(
      () => server.get(new URL(String(headers.location), 'https://bmc').pathname),
      (answer: { json: Json }) => answer.json.TaskState !== 'Running'
    )
    t.equal(task.json.TaskState, 'Exception')
  })
})
