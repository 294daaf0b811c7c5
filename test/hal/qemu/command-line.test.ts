import t from 'tap'
import { diskSize, installHint, type QemuOptions, qemuCommand, serialLimit } from '#hal/qemu/command-line.ts'

const files = {
  socket: '/run/a,b.qmp',
  pid: '/run/host.pid',
  console: '/run/host.console',
  post: '/run/host.post',
  serial: '/run/serial.log'
}
const command = (options: QemuOptions = {}, media: Readonly<Record<string, string | undefined>> = {}) =>
  qemuCommand(options, files, new Map(Object.entries(media)), (path) => (path.startsWith('/') ? path : `/data/${path}`))

/** The values of an option, in order. */
const values = ({ args }: { args: readonly string[] }, option: string) =>
  args.flatMap((each, index) => (each === option ? [args[index + 1]] : []))

t.test('a machine without options has the defaults, and no disk', async (t) => {
  const { program, args, needs } = command()
  t.equal(program, 'qemu-system-x86_64')
  t.same(needs, ['/usr/share/OVMF/OVMF_CODE_4M.secboot.fd', '/data/nvram.fd'])
  const expected = {
    '-machine': ['q35,smm=on'],
    '-m': ['512'],
    '-smp': ['1'],
    '-pidfile': ['/run/host.pid'],
    '-qmp': ['unix:/run/a,,b.qmp,server=on,wait=off'],
    '-drive': [
      'if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd',
      'if=pflash,unit=1,format=raw,file=/data/nvram.fd'
    ],
    '-chardev': [
      'socket,id=serial,path=/run/host.console,server=on,wait=off,logfile=/run/serial.log,logappend=on',
      'socket,id=post,path=/run/host.post,server=on,wait=off'
    ],
    '-nic': ['none'],
    '-uuid': [],
    '-smbios': [],
    '-device': ['isa-debugcon,iobase=0x80,chardev=post', 'pvpanic']
  }
  for (const [option, each] of Object.entries(expected)) t.same(values({ args }, option), each, option)
})

t.test('each option has its arguments, with commas doubled', async (t) => {
  for (const [options, option, expected] of [
    [{ memory: 2048 }, '-m', '2048'],
    [{ cpus: 4 }, '-smp', '4'],
    [{ firmware: 'a,b.fd' }, '-drive', 'if=pflash,unit=0,format=raw,readonly=on,file=/data/a,,b.fd'],
    [{ store: '/vars.fd' }, '-drive', 'if=pflash,unit=1,format=raw,file=/vars.fd'],
    [{ disk: 'disk.img' }, '-drive', 'if=none,id=disk,format=raw,file=/data/disk.img'],
    [{ disk: 'disk.img' }, '-device', 'virtio-blk-pci,drive=disk,addr=0x4'],
    [{ disk: 'd', diskFormat: 'qcow2' }, '-drive', 'if=none,id=disk,format=qcow2,file=/data/d'],
    [{ network: 'user' }, '-nic', 'user'],
    [{ network: 'user', mac: '52:54:00:00:00:01' }, '-nic', 'user,mac=52:54:00:00:00:01'],
    [{ network: 'none', mac: '52:54:00:00:00:01' }, '-nic', 'none'],
    [{ uuid: 'a-b' }, '-uuid', 'a-b'],
    [{ serialNumber: 'x,1' }, '-smbios', 'type=1,serial=x,,1'],
    [{ arguments: ['-rtc', 'base=utc'] }, '-rtc', 'base=utc']
  ] as const)
    t.ok(values(command(options), option).includes(expected), JSON.stringify(options))
  t.equal(command({ qemu: '/opt/qemu' }).program, '/opt/qemu')
  t.same(command({ disk: 'disk.img' }).needs.slice(2), ['/data/disk.img'])
})

t.test('each drive for removable media has a bus of its own, and the file of its medium has to exist', async (t) => {
  const made = command({}, { cd1: undefined, cd2: '/a,b.iso' })
  t.same(values(made, '-drive').slice(2), [
    'if=none,id=cd1-medium,media=cdrom,readonly=on',
    'if=none,id=cd2-medium,media=cdrom,readonly=on,format=raw,file=/a,,b.iso'
  ])
  t.same(values(made, '-device').slice(2), [
    'ide-cd,bus=ide.0,id=cd1,drive=cd1-medium',
    'ide-cd,bus=ide.1,id=cd2,drive=cd2-medium'
  ])
  t.same(made.needs.slice(2), ['/a,b.iso'])
})

t.test('a disk image that is created need not exist, and is a raw one', async (t) => {
  t.same(command({ disk: 'disk.img', diskSize: 64 }).needs.slice(2), [])
  t.equal(diskSize({ disk: 'disk.img', diskSize: 64 }), 67_108_864)
  t.equal(diskSize({ disk: 'disk.img' }), undefined)
  t.throws(() => diskSize({ diskSize: 64, diskFormat: 'qcow2' }), { code: 'EINVAL' })
})

t.test('what is missing is named with the package that has it, if that is known', async (t) => {
  t.equal(installHint('qemu-system-x86_64', {}), ': install qemu-system-x86')
  t.equal(installHint('/usr/share/OVMF/OVMF_CODE_4M.secboot.fd', {}), ': install ovmf')
  t.equal(installHint('/data/bios-1.fd', { firmware: 'bios-1.fd' }), ': install ovmf', 'it is a copy of that')
  t.equal(installHint('/data/nvram-1.fd', { firmware: 'bios-1.fd' }), '')
  t.equal(installHint('/srv/code.fd', { firmware: '/srv/code.fd' }), '')
})

t.test('the log of the serial port has 1 MiB by default, and at least a byte', async (t) => {
  t.same([serialLimit({}), serialLimit({ serialLog: 1 })], [1_048_576, 1])
  t.throws(() => serialLimit({ serialLog: 0 }), { code: 'EINVAL' })
})

t.test('an option of the wrong type is refused by its name', async (t) => {
  for (const [options, message] of [
    [{ memory: 0 }, 'qemu: memory must be a whole number above 0'],
    [{ cpus: 1.5 }, 'qemu: cpus must be a whole number above 0'],
    [{ memory: '512' }, 'qemu: memory must be a whole number above 0'],
    [{ firmware: 1 }, 'qemu: firmware must be a string'],
    [{ arguments: '-rtc' }, 'qemu: arguments must be a list of strings']
  ] as const)
    t.throws(() => command(options), { code: 'EINVAL', message }, message)
})
