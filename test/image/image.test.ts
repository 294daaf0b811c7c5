import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { edk2Layouts, layoutEnd } from '#hal/edk2/layout.ts'
import { openStore } from '#hal/edk2/store.ts'
import { updateFile } from '#runtime/build/update-file.mjs'
import { licensesOf } from '#test/conformance/licenses.ts'
import { contents } from '#test/hal/contracts/nvram.ts'
import { makeSigner } from '#test/host/certificates.ts'
import { needing } from '#test/host/every-host.ts'
import { push } from '#test/host/push.ts'
import { anonymous, directory, password, Server } from '#test/host/server.ts'
import { console, openTerminal } from '#test/host/terminal.ts'
import {
  buildApplication,
  makeDisk,
  makeKey,
  missingApplication,
  missingSigning,
  sign
} from '#test/ovmf/application.ts'
import { boot, missingMachine } from '#test/ovmf/machine.ts'
import { load } from '#test/ovmf/stores.ts'
import { missingVirtFirmware, readByVirtFirmware } from '#test/ovmf/virt-firmware.ts'
import { Subscriber } from '#test/runtime/service/events/subscriber.ts'
import bounds from '../../bench/bounds.json' with { type: 'json' }
import { Board, build, description, type Line, missingImage, seesItsOwnPort } from './board.ts'
import { framesFrom, vlanOf } from './frames.ts'

const { sourceDate } = await import(pathToFileURL('runtime/build/source-date.mjs').href)

t.setTimeout(1_200_000)

const missing = missingImage ?? missingMachine ?? missingApplication ?? missingSigning ?? missingVirtFirmware
const system = '/redfish/v1/Systems/1/'
const secureBoot = `${system}SecureBoot/`
const protocols = '/redfish/v1/Managers/1/NetworkProtocol/'
/** A port that HTTPS moves to. */
const moved = 9443
const atMoved = ({ service, ports }: Board) => service.at(ports.get(moved) ?? 0)
const inventory = '/redfish/v1/UpdateService/FirmwareInventory/'
const updateKey = JSON.parse(readFileSync('deploy/image/development/update.json', 'utf8'))
const code = '/usr/share/OVMF/OVMF_CODE_4M.secboot.fd'
const { version: current } = JSON.parse(readFileSync('package.json', 'utf8'))
const databases = ['db', 'KEK', 'PK']
/** Keys that stop a boot loader that listens: any key, and Ctrl-C, also while a command runs. */
const stopping = ' \r\u0003'

needing('a board with the image in its flash', missing, async (t) => {
  const image = build(t, { password, board: withTwoPorts() })
  const next = build(t, { password, version: '0.2' })
  const files = directory(t)
  const keys = Object.fromEntries(databases.map((name) => [name, makeKey(files, name)]))
  let acknowledged = 0

  await t.test('the image is within its budget', async (t) => {
    t.ok(image.besidesKernel <= 8 * 2 ** 20, `${image.besidesKernel} bytes besides the kernel`)
    t.ok(image.whole <= 12 * 2 ** 20, `${image.whole} bytes with both slots`)
  })

  await t.test('it has the terms of all that is in it, and a bill of materials lies beside it', async (t) => {
    const [offset, text] = [0x900000, 'usr/share/doc/minnow/third-parties.txt']
    const words = ['-o', String(offset), '-cat', join(image.folder, 'flash.img'), text]
    const { stdout } = spawnSync('unsquashfs', words, { encoding: 'utf8', maxBuffer: 2 ** 24 })
    const { names, unlicensed } = licensesOf(join(image.folder, `minnow-ast2600-evb-${current}.cdx.json`))
    // Those of the compiler's libraries are in gcc-14-base, to which they link.
    for (const name of names.filter((name) => !/^lib(gcc|stdc)/.test(name)))
      t.ok(stdout.includes(`\n${name}\n===`), name)
    for (const part of ['linux-source-', 'u-boot', 'libc6-dev', 'quickjs'])
      t.ok(
        names.some((name) => name.startsWith(part)),
        part
      )
    t.strictSame(unlicensed, [], 'each part has a license of SPDX')
  })

  await t.test(
    'it boots from its flash alone and answers with the password that the image was built with',
    async (t) => {
      const from = performance.now()
      const board = await Board.start(t, image, moved)
      const typing = setInterval(() => board.process.type(stopping), 20)
      t.teardown(() => clearInterval(typing))
      await board.process.saying(/minnow: listening on https|Hit any key/)
      clearInterval(typing)
      await t.test('keys on its console do not stop the boot loader', async (t) => {
        const said = board.process.stdout
        t.strictSame(
          said.filter((line) => /Hit any key|=>/.test(line)),
          [],
          'it neither offers that nor takes commands'
        )
        t.equal(said.filter((line) => /^U-Boot SPL/.test(line)).length, 1, 'it starts once')
      })
      const { status } = await board.service.get('/redfish/v1/', anonymous)
      t.equal(status, 200)
      t.comment(`the first 200 is ${Math.round(performance.now() - from)} ms after the reset`)
      t.equal(
        board.process.stdout.filter((line) => /sha256\+ OK/.test(line)).length,
        3,
        'kernel, RAM disk, device tree'
      )
      const cores = board.process.stdout.filter((line) => /CPU\d+: failed to come online/.test(line))
      t.strictSame(cores, [], 'both cores run: one that waits for ever costs the machine of the emulator a core')
      t.ok(
        board.process.stdout.some((line) => /sha256,rsa2048:boot\+ OK/.test(line)),
        'the boot loader has verified the signature'
      )
      const { Members } = (await board.service.get(`${inventory}?$expand=.`)).json
      t.match(
        Members.filter(({ Id }: { Id: string }) => Id.startsWith('Manager')),
        [
          { Id: 'Manager-1-A', Active: true, Version: current },
          { Id: 'Manager-1-B', Active: false, Version: current },
          { Id: 'Manager-1-BootLoader', Active: true, Updateable: false, Version: /^20\d\d\.\d\d/ }
        ]
      )
      t.equal((await board.service.get(system)).status, 200)
      const memory = await board.memory()
      t.comment(`the service has ${memory / 1024} KiB of resident memory`)
      t.ok(memory <= bounds['board: memory idle'].max)

      await t.test('a secure boot key that is enrolled while the host is off is taken', async (t) => {
        t.equal(await powerState(board), 'Off')
        for (const name of databases) {
          const enrolment = { CertificateString: readFileSync(keys[name]!.certificate, 'utf8'), CertificateType: 'PEM' }
          const { status } = await board.service.post(
            `${secureBoot}SecureBootDatabases/${name}/Certificates/`,
            enrolment
          )
          t.equal(status, 201, name)
        }
        t.equal((await board.service.patch(secureBoot, { SecureBootEnable: true })).status, 200)
      })

      await t.test('the BIOS behind the variables is written over Redfish while the host is off', async (t) => {
        const manifest = { board: 'ast2600-evb', component: 'bios', version: '2.0' }
        const from = board.process.stdout.length
        const { status } = await push(board.service, {}, updateFile(updateKey, manifest, { bios: readFileSync(code) }))
        t.equal(status, 202)
        await board.process.saying(/an update is complete/, from)
        t.match((await board.service.get(system)).json, { BiosVersion: '2.0', Status: { Health: 'OK' } })
      })

      await t.test('power follows the lines of the host, and obeys Redfish', async (t) => {
        const pressed = pulse(board, 'POWER_OUT')
        t.equal((await reset(board, 'On')).status, 200)
        await pressed
        await board.drive('PS_PWROK', true)
        await until(board, 'On')
        for (const [type, line] of [
          ['ForceRestart', 'RESET_OUT'],
          ['Nmi', 'NMI_OUT']
        ] as const) {
          const pulsed = pulse(board, line)
          t.equal((await reset(board, type)).status, 200)
          await pulsed
        }
        t.equal(await powerState(board), 'On')
        const held = board.level('POWER_OUT', false)
        t.equal((await reset(board, 'ForceOff')).status, 200)
        await held
        await board.drive('PS_PWROK', false)
        await board.level('POWER_OUT', true)
        await until(board, 'Off')
      })

      await t.test('a supply that fails by itself is seen', async () => {
        await board.drive('PS_PWROK', true)
        await until(board, 'On')
        await board.drive('PS_PWROK', false)
        await until(board, 'Off')
      })

      await t.test('the lamp blinks', async (t) => {
        const { status } = await board.service.patch('/redfish/v1/Chassis/1/', { LocationIndicatorActive: true })
        t.equal(status, 200)
        await board.level('identify', true)
        await board.level('identify', false)
      })

      await t.test('the temperature is that of the chip on the bus, and one that is too high is Critical', async () => {
        for (const celsius of [31, 80]) {
          await board.heat(celsius)
          await board.service.until(
            () => board.service.get('/redfish/v1/Chassis/1/Thermal/'),
            ({ json }) => json.Temperatures[0].ReadingCelsius === celsius
          )
        }
        await board.service.until(
          () => board.service.get('/redfish/v1/Chassis/1/Thermal/'),
          ({ json }) => json.Temperatures[0].Name === 'Board' && json.Temperatures[0].Status.Health === 'Critical'
        )
      })

      await t.test('the serial line to the host is its console', async (t) => {
        const host = await board.serial()
        t.teardown(() => host.destroy())
        host.write('the host says\r\n')
        await board.service.until(
          () => board.service.get(console),
          ({ text }) => text.endsWith('the host says\r\n')
        )
        const terminal = await openTerminal(t, board.service)
        host.write('and more')
        await terminal.until('and more')
        const bytes = 'Typed\r\u0003\u0000\u00ff'
        let heard = Buffer.alloc(0)
        terminal.type(bytes)
        for await (const part of host) {
          heard = Buffer.concat([heard, part])
          if (heard.length >= Buffer.byteLength(bytes)) break
        }
        t.strictSame(heard.toString(), bytes)
        terminal.socket.close()
        await terminal.closed
      })

      await t.test('the controller’s own port is the kernel’s', (t) => seesItsOwnPort(t, board))

      await t.test('a second port has a network of its own, and the service answers there as well', async (t) => {
        const { json } = await board.service.until(
          () => board.service.get(`${manager}EthernetInterfaces/2/`),
          ({ json }) => json.IPv4Addresses.length === 1
        )
        t.match(json.IPv4Addresses, [{ Address: '10.0.3.15', AddressOrigin: 'DHCP', Gateway: '10.0.3.2' }])
        t.not(json.MACAddress, (await board.service.get(port)).json.MACAddress)
        const there = await board.at('10.0.3.15', 'port2')
        t.equal((await there.get(system)).status, 200)
      })

      await t.test('HTTPS moves to another port, and a client that connects there confirms it', async (t) => {
        const { service } = board
        t.equal(
          (await service.patch(protocols, { HTTPS: { Port: 81 } })).status,
          409,
          'one for programs with privileges'
        )
        t.equal((await service.patch(protocols, { HTTPS: { Port: moved } })).status, 200)
        const there = atMoved(board)
        const { json } = await there.until(
          () => there.get(protocols),
          ({ json }) => json.Oem.Vendor.RollbackTime === null
        )
        t.equal(json.HTTPS.Port, moved)
      })

      await t.test('the power fails during writes', async () => {
        const service = atMoved(board)
        await new Promise<void>((resolve) => {
          const write = async (number: number): Promise<void> => {
            const { status } = await service.patch(system, { AssetTag: `write ${number}` })
            if (status === 200) acknowledged = number
            if (number === 20) resolve()
            return write(number + 1)
          }
          write(1).catch(() => {})
        })
        await board.cut()
      })
    }
  )

  await t.test('the chip of the host says the same to an independent reader, and firmware enforces it', async (t) => {
    const store = `${files}/store.fd`
    const chip = readFileSync(`${image.folder}/host.img`)
    const end = layoutEnd(edk2Layouts['4M'])
    writeFileSync(store, chip.subarray(0, end))
    const bios = readFileSync(code)
    t.ok(chip.subarray(end, end + bios.length).equals(bios), 'the BIOS is behind it')
    const nvram = openStore(load(store).open())
    t.strictSame(nvram.health, { state: 'ok', faults: [] })
    const [lines = []] = readByVirtFirmware(files, [readFileSync(store)])
    t.strictSame(contents(nvram), lines)
    const application = buildApplication(files)
    const disks = t.testdir({ signed: {}, unsigned: {} })
    const unsigned = await boot({
      directory: files,
      store,
      disk: makeDisk(`${disks}/unsigned`, application),
      until: denied
    })
    t.match(unsigned.console, denied)
    t.strictSame(unsigned.report, [])
    const disk = makeDisk(`${disks}/signed`, sign(application, keys.db!))
    t.equal((await boot({ directory: files, store, disk, until: denied })).report.at(-1), 'end')
  })

  await t.test('after a power cut all that was acknowledged is there', async (t) => {
    const board = await Board.start(t, image, moved)
    const service = atMoved(board)
    await board.up()
    const { AssetTag } = (await service.get(system)).json
    const kept = Number(/^write (\d+)$/.exec(AssetTag)?.[1])
    t.ok(kept >= acknowledged, `write ${kept} is kept, ${acknowledged} was acknowledged`)
    t.match((await service.get(secureBoot)).json, { SecureBootEnable: true })
    t.same((await service.get(protocols)).json.HTTPS.Port, moved)
    t.ok(await board.memory(), 'the init process has found the service at the port that it moved to')

    await t.test('an update is written to the idle slot, also after a reset meanwhile, and then runs', async (t) => {
      const { token } = await service.login()
      const from = board.process.stdout.length
      const { status, headers } = await service.request(
        'POST',
        '/redfish/v1/UpdateService/update/',
        { ...token, 'content-type': 'application/octet-stream' },
        readFileSync(next.update)
      )
      t.equal(status, 202)
      const uri = String(headers.location)
      while ((await service.get(uri, token)).json.PercentComplete < 10);
      const before = board.process.stdout.length
      const reset = { ResetType: 'GracefulRestart' }
      t.equal((await service.post(`${manager}Actions/Manager.Reset/`, reset, token)).status, 200)
      await board.process.saying(/"message":"listening"/, before)
      const times: number[] = []
      let task = (await service.get(uri, token)).json
      t.match(task, { TaskState: 'Running' }, 'it is written again')
      while (task.PercentComplete < 90) {
        const asked = performance.now()
        task = (await service.get(uri, token)).json
        times.push(performance.now() - asked)
      }
      t.comment(`${times.length} answers while it was written, the slowest after ${Math.round(Math.max(...times))} ms`)
      t.ok(times.length > 10, 'the service answers meanwhile')
      await board.process.saying(/an update is complete/, from)
      t.match((await service.get(manager)).json, { FirmwareVersion: '0.2' })
      t.match((await service.get(uri)).json, {
        TaskState: 'Completed',
        PercentComplete: 100
      })
      t.equal((await service.get(system)).json.AssetTag, AssetTag, 'its data is there')
    })
    await board.cut()
  })
})

needing('a board with a root agent', missingImage, async (t) => {
  const init = { address: '10.0.2.15', netmask: '255.255.255.0', gateway: '10.0.2.2' }
  const image = build(t, { password, init, initSources: ['test/image/fixtures/agent.c'] })
  const board = await Board.start(t, image, commands, overIPv6)
  await board.up()

  await t.test('it answers a client over IPv6', async (t) => {
    const there = new Server(board.service.data, board.ports.get(overIPv6) ?? 0, board.process)
    const { location, token } = await there.login()
    t.equal((await there.get(location, token)).json.ClientOriginIPAddress, '::1')
    t.equal((await there.delete(location, token)).status, 200)
  })

  await t.test('the process that talks to servers has a user, the ports of DHCP and sockets', async (t) => {
    const report = await told(board, 'p')
    const ports = (1 << 10).toString(16).padStart(16, '0')
    for (const line of [
      ...['Name:\tnetwork', 'PPid:\t1', 'Groups:\t ', 'NoNewPrivs:\t1', 'Seccomp:\t2'],
      ...['Uid:\t1001\t1001\t1001\t1001', 'Gid:\t1001\t1001\t1001\t1001'],
      ...['CapPrm', 'CapEff'].map((set) => `${set}:\t${ports}`),
      ...['CapInh', 'CapBnd', 'CapAmb'].map((set) => `${set}:\t0000000000000000`)
    ])
      t.ok(report.includes(line), line)
    const files = report.filter((line) => line.startsWith('file '))
    t.ok(files.length > 0 && files.every((line) => line.startsWith('file socket:')), files.join())
    t.strictSame(await told(board, 'x'), ['SYS'], 'an unexpected system call ends it')
  })

  await t.test('when it ends it is started again, and the board keeps running', async (t) => {
    const process = async () => (await told(board, 'p')).find((line) => line.startsWith('process '))
    const from = board.process.stdout.length
    const before = await process()
    command(board, 'k')
    await board.process.saying(/init: the network process ended with signal 9; it starts again in 1000 ms/, from)
    let after = await process()
    while (after === 'process 0' || after === before) after = await process()
    t.match(after, /^process [1-9]/)
  })

  await t.test('it begins at the time of its image, and sets both of its clocks by a time server', async (t) => {
    const age = (await clock(board)) - 1000 * sourceDate()
    t.ok(age >= 0 && age < 3_600_000, `${age} ms after the time of the image`)
    t.strictSame(await told(board, 'c'), ['EINVAL'], 'the real-time clock stands')
    const from = board.process.stdout.length
    t.strictSame(await told(board, 't'), ['done'])
    t.equal((await board.service.patch(protocols, { NTP: { NTPServers: ['10.0.2.15'] } })).status, 200)
    await board.process.saying(/init: the clock was \d+ ms behind/, from)
    t.match(new Date(await clock(board)).toISOString(), /^2030-01-01T/)
    t.match(await told(board, 'c'), [/^2030-01-01T/])
  })

  await t.test('an event arrives at a host whose name only the name server of the settings knows', async (t) => {
    const name = 'collector.rack7.example'
    // It is believed in 2030 as well, which the board has.
    const identity = makeSigner(t, { subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`], days: 3650 })
    const subscriber = await Subscriber.open(t, { key: identity.key, cert: identity.certificate })
    t.equal((await board.service.post(importAuthority, { Certificate: identity.certificate })).status, 200)
    t.strictSame(await told(board, 'n'), ['done'])
    t.equal((await board.service.patch(port, { StaticNameServers: ['10.0.2.15'] })).status, 200)
    const { status, headers } = await board.service.post(`${events}Subscriptions/`, {
      Destination: `https://${name}:${subscriber.port}/events`,
      RegistryPrefixes: ['ResourceEvent'],
      VerifyCertificate: true
    })
    t.equal(status, 201)
    const wanted = { EventId: 'by name', MessageId: 'ResourceEvent.1.0.TestMessage' }
    t.equal((await board.service.post(`${events}Actions/EventService.SubmitTestEvent/`, wanted)).status, 200)
    let notification = await subscriber.next()
    while (notification.json.Events[0].EventId !== wanted.EventId) notification = await subscriber.next()
    t.equal(notification.headers.host, `${name}:${subscriber.port}`)
    t.match(notification.json.Events, [wanted])
    t.equal((await board.service.delete(String(headers.location))).status, 200)
  })

  await t.test('the service is a user without capabilities, with a filter of system calls', async (t) => {
    t.equal((await board.service.get(system)).status, 200)
    const report = await told(board, 's')
    const threads = report.filter((line) => line.startsWith('Name:\t')).length
    t.ok(threads > 1, `${threads} threads`)
    for (const field of [
      ...['Uid:\t1000\t1000\t1000\t1000', 'Gid:\t1000\t1000\t1000\t1000', 'Groups:\t '],
      ...['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((set) => `${set}:\t0000000000000000`),
      ...['NoNewPrivs:\t1', 'Seccomp:\t2']
    ]) {
      t.equal(report.filter((line) => line === field).length, threads, field)
    }
  })

  await t.test('the root is read-only, and no other file system has programs', async (t) => {
    // proc_pid_mountinfo(5): two numbers, device, root, mount point, options, and after a hyphen the type
    const mount = /^\d+ \d+ [\d:]+ \S+ (\S+) (\S+) .*?- (\S+) /
    const mounts = (await told(board, 's')).flatMap((line) => mount.exec(line)?.slice(1).join(' ') ?? [])
    t.strictSame(mounts.sort(), [
      '/ ro,nosuid,nodev,relatime squashfs',
      '/dev rw,nosuid,noexec,relatime devtmpfs',
      '/proc rw,nosuid,nodev,noexec,relatime proc',
      '/run rw,nosuid,nodev,noexec,relatime tmpfs',
      '/sys rw,nosuid,nodev,noexec,relatime sysfs',
      '/var rw,nosuid,nodev,noexec,noatime jffs2'
    ])
  })

  await t.test('an attacker who has taken it over gets no further', async (t) => {
    const tried = (await told(board, 's')).filter((line) => line.startsWith('intruder '))
    t.strictSame(
      tried.map((line) => line.slice('intruder '.length)),
      [
        ...['/created', '/etc/created', '/usr/bin/created'].map((path) => `create ${path} EROFS`),
        ...['/run/created', '/var/created'].map((path) => `create ${path} EACCES`),
        // The boot loader, the slot that runs, and the data.
        ...['/dev/mtd0', '/dev/mtd2', '/dev/mtd3', '/dev/mtd6'].map((path) => `write ${path} EACCES`),
        'write /dev/mem ENOENT',
        ...['/dev/ttyS4', '/dev/watchdog', '/dev/gpiochip1'].map((path) => `write ${path} EACCES`),
        'write /sys/class/mtd/mtd0/bitflip_threshold EACCES',
        'create /var/minnow/program done',
        'execute /var/minnow/program EACCES',
        'read /proc/1/status ENOENT',
        'read /proc/self/status done',
        'mount /run EPERM',
        'become root EPERM',
        'signal init EPERM',
        'reboot board EPERM'
      ]
    )
  })

  await t.test('a service that ends is started again', async (t) => {
    const from = board.process.stdout.length
    command(board, 'e')
    await board.process.saying(/the service ended with status 0; it starts again/, from)
    await board.up(from)
    t.equal((await board.service.get('/redfish/v1/', anonymous)).status, 200)
  })

  await t.test('it gets another address and a name over Redfish', async (t) => {
    t.equal((await board.service.patch(port, { IPv4StaticAddresses: [{}, other], HostName: 'rack7' })).status, 200)
    const there = await board.at(other.Address)
    const { json } = await there.until(
      () => there.get(port),
      ({ json }) => json.Oem.Vendor.RollbackTime === null
    )
    t.match(json, {
      HostName: 'rack7',
      IPv4Addresses: [
        { Address: '10.0.2.15', AddressOrigin: 'Static', Gateway: '10.0.2.2' },
        { Address: other.Address, AddressOrigin: 'Static' }
      ]
    })
  })

  await t.test('a client sets the clock, for which only the init process has the privilege', async (t) => {
    const wanted = (await clock(board)) + 3_600_000
    const set = async () => {
      const DateTime = new Date(wanted).toISOString()
      return (await board.service.patch('/redfish/v1/Managers/1/', { DateTime })).status
    }
    t.equal(await set(), 400, 'not while a server is asked for the time')
    t.equal((await board.service.patch(protocols, { NTP: { ProtocolEnabled: false } })).status, 200)
    t.equal(await set(), 200)
    t.ok((await clock(board)) >= wanted)
  })

  await t.test('a board that restarts stops its service first, and keeps the time', async (t) => {
    const before = await clock(board)
    const from = board.process.stdout.length
    command(board, 'r')
    await board.process.saying(/"message":"stopping"/, from)
    await board.process.saying(/^U-Boot SPL/, from)
    await board.up(from)
    t.ok((await clock(board)) >= before)
  })

  await t.test('a service that hangs has the board reset by its watchdog', async (t) => {
    const from = board.process.stdout.length
    t.strictSame(await told(board, 'o'), ['done'], 'its data is now as that of an older image: root’s')
    command(board, 'h')
    await board.process.saying(/the service does not answer/, from)
    await board.process.saying(/^U-Boot SPL/, from)
    await board.up(from)
    t.equal((await board.service.get(system)).status, 200)
  })

  await t.test('a change of the address is kept if a client uses it, and otherwise rolled back', async (t) => {
    const there = await board.at(other.Address)
    t.equal((await there.get(port)).json.HostName, 'rack7', 'as before the board was reset')
    t.equal((await board.service.patch(port, { IPv4StaticAddresses: [null, {}] })).status, 200)
    await there.until(
      () => there.get(port),
      ({ json }) => json.IPv4Addresses.length === 1 && json.Oem.Vendor.RollbackTime === null
    )
    const away = { VLAN: { VLANEnable: true, VLANId: 12 }, Oem: { Vendor: { RollbackTime: 3 } } }
    const frames = `${directory(t)}/frames.pcap`
    await board.capture(frames)
    t.equal((await there.patch(port, away)).status, 200)
    const { json } = await there.until(
      () => there.get(`${manager}LogServices/EventLog/Entries/?$top=50`),
      ({ text }) => text.includes('NetworkChangeTakenBack')
    )
    const told = json.Members.map(({ MessageId }: { MessageId: string }) => MessageId.split('.').at(-1))
    t.strictSame(
      told.filter((each: string) => each.startsWith('Network')),
      ['NetworkChangeKept', 'NetworkChangeKept', 'NetworkChangeTakenBack']
    )
    const { MACAddress, VLAN } = (await there.get(port)).json
    t.match(VLAN, { VLANEnable: false })
    const vlans = framesFrom(MACAddress, frames).map(vlanOf)
    t.strictSame(new Set(vlans), new Set([undefined, 12]), 'frames have the tag of the VLAN while it is enabled')
    t.strictSame([vlans[0], vlans.at(-1)], [undefined, undefined], 'and none before and after')
  })
})

/**
 * The evaluation board with the second of its four ports in use, and time for an emulation on a machine that is busy.
 */
function withTwoPorts(): typeof description {
  const board = structuredClone(description)
  const { ethernetInterfaces } = board.machine.managers['1']
  ethernetInterfaces['1'].port.timeout = 60_000
  const device = { ...ethernetInterfaces['1'].port, device: 'eth1' }
  ethernetInterfaces['2'] = { name: 'Second port', port: device }
  return board
}

const manager = '/redfish/v1/Managers/1/'
const port = `${manager}EthernetInterfaces/1/`
const events = '/redfish/v1/EventService/'
const certificateLogin = `${manager}SecurityService/CertificateAuthentication/`
const importAuthority = `${certificateLogin}Actions/VendorCertAuth.ImportCACertificate`
const other = { Address: '10.0.2.20', SubnetMask: '255.255.255.0', Gateway: '10.0.2.2' }
const denied = /Access Denied/
/** Where the agent waits for its commands, and for clients whom it brings to the service over IPv6. */
const commands = 4444
const overIPv6 = 4446

function command(board: Board, letter: string): Socket {
  return connect(board.ports.get(commands)!, '127.0.0.1').end(letter)
}

/** The lines that the agent answers. */
async function told(board: Board, letter: string): Promise<string[]> {
  return (await text(command(board, letter))).split('\n')
}

/** The board's, in milliseconds. */
async function clock({ service }: Board): Promise<number> {
  return Date.parse((await service.get('/redfish/v1/Managers/1/')).json.DateTime)
}

/** A line, active when low, that becomes active and inactive again. */
async function pulse(board: Board, line: Line): Promise<void> {
  await board.level(line, false)
  await board.level(line, true)
}

const reset = ({ service }: Board, ResetType: string) =>
  service.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType })

const powerState = async ({ service }: Board): Promise<string> => (await service.get(system)).json.PowerState

async function until({ service }: Board, state: string): Promise<void> {
  await service.until(
    () => service.get(system),
    ({ json }) => json.PowerState === state
  )
}
