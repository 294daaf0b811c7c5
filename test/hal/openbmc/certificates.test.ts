// own process: it starts message buses and services on them

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Certificates } from '#hal/certificates.ts'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { makeSigner } from '#test/host/certificates.ts'
import { pamSocket } from '#test/openbmc/pam.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const { certificates: open } = openbmcDevices()
const certs = '/xyz/openbmc_project/certs'
const https = `${certs}/server/https`
const trusted = `${certs}/authority/truststore`

const pair = (t: Test, name: string) => {
  const { key, certificate } = makeSigner(t, { subject: `/CN=${name}` })
  return key + certificate
}

async function opened(t: Test, { installed, without = [] }: { installed?: string; without?: string[] } = {}) {
  const directory = t.testdir({})
  const file = join(directory, 'server.pem')
  if (installed !== undefined) writeFileSync(file, installed)
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, { https: file, without })
  const socket = await pamSocket(t, ['sh', '-c', `cat ${file} 2>/dev/null || true`])
  const warnings: string[] = []
  const handed = join(directory, 'handed')
  mkdirSync(handed)
  const options = { name: 'certificates-1', socket: bus.socket, https: socket, directory: handed }
  const device = open({ ...options, warn: (text) => warnings.push(text) })
  t.teardown(() => device.close())
  await device.settled
  if (without.length === 0) await is(device, () => device.authorities !== undefined)
  const call = (service: string, path: string, name: string, member: string, ...values: string[]) =>
    bus.busctl(
      ...['call', `xyz.openbmc_project.Certs.Manager.${service}`, path, `xyz.openbmc_project.${name}`, member],
      ...values.flatMap((value) => ['s', value])
    )
  const install = (path: string, text: string, member = 'Install') => {
    const given = join(directory, 'given')
    writeFileSync(given, text)
    const service = path.startsWith(https) ? 'Server.Https' : 'Authority.Truststore'
    call(service, path, `Certs.${member}`, member, given)
  }
  return { daemons, device, warnings, call, install, file, handed }
}

/** Resolves when a condition holds. */
function is(device: Certificates, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!condition()) return
      stop()
      resolve()
    }
    const stop = device.on(look)
    look()
  })
}

t.test('the key and certificate of HTTPS are those of the file that the manager keeps', async (t) => {
  const first = pair(t, 'first')
  const { device, install, call } = await opened(t, { installed: first })
  t.equal(device.server, first)
  const second = pair(t, 'second')
  install(`${https}/1`, second, 'Replace')
  await is(device, () => device.server === second)
  call('Server.Https', `${https}/1`, 'Object.Delete', 'Delete')
  await is(device, () => device.server === undefined)
  install(https, first)
  await is(device, () => device.server === first)
})

t.test('another pair is installed, and then replaced', async (t) => {
  const { device, file, handed } = await opened(t)
  t.equal(device.server, undefined)
  const [first, second] = [pair(t, 'first'), pair(t, 'second')]
  await device.replace(first)
  t.equal(device.server, first)
  await device.replace(second)
  t.equal(device.server, second)
  t.equal(readFileSync(file, 'utf8'), second)
  t.same(readdirSync(handed), [], 'no file with a key is left')
})

t.test('what the manager refuses is a failure, and the pair stays', async (t) => {
  const first = pair(t, 'first')
  const { device, daemons, handed } = await opened(t, { installed: first })
  const [{ certificate }, { key }] = [makeSigner(t, { subject: '/CN=a' }), makeSigner(t, { subject: '/CN=b' })]
  await t.rejects(device.replace(key + certificate), { code: 'EINVAL' })
  await t.rejects(device.replace('none'), { code: 'EINVAL' })
  t.equal(device.server, first)
  t.same(readdirSync(handed), [])
  const one = device.replace(pair(t, 'second'))
  await t.rejects(device.replace(pair(t, 'third')), { code: 'EBUSY' })
  await one
  await daemons.kill('Certs.Manager.Server.Https')
  for (let code = ''; code !== 'ENODEV'; )
    code = await device.replace(first).then(
      () => 'none',
      (error) => error.code
    )
  t.not(device.server, undefined, 'it is read from the file')
})

t.test('authorities are those of the trust store', async (t) => {
  const { device, daemons, call, install } = await opened(t)
  t.same(device.authorities, new Map())
  const { certificate: one } = makeSigner(t, { subject: '/CN=one' })
  const { certificate: two } = makeSigner(t, { subject: '/CN=two' })
  install(trusted, one)
  await is(device, () => device.authorities?.get('1') === one)
  await device.add(two)
  t.same(
    [...(device.authorities ?? [])],
    [
      ['1', one],
      ['2', two]
    ]
  )
  await device.remove('1')
  t.same([...(device.authorities?.keys() ?? [])], ['2'])
  await t.rejects(device.remove('1'), { code: 'ENODEV' })
  await t.rejects(device.add('none'), { code: 'EINVAL' })
  await daemons.mistype(`${trusted}/2`, 'Certs.Certificate', 'CertificateString', 'u', 7)
  await is(device, () => device.authorities?.size === 0)
  await daemons.set(`${trusted}/2`, 'Certs.Certificate', 'CertificateString', two)
  await is(device, () => device.authorities?.size === 1)
  await daemons.kill('Certs.Manager.Authority.Truststore')
  for (let code = ''; code !== 'ENODEV'; )
    code = await device.add(one).then(
      () => 'none',
      (error) => error.code
    )
  t.equal(device.authorities?.size, 1, 'they stay known')
  await daemons.start('Certs.Manager.Authority.Truststore')
  await device.remove('2').catch(() => undefined)
  call('Authority.Truststore', trusted, 'Collection.DeleteAll', 'DeleteAll')
  await is(device, () => device.authorities?.size === 0)
})

t.test('without the managers the file is read, and authorities are unknown', async (t) => {
  const first = pair(t, 'first')
  const without = ['Certs.Manager.Server.Https', 'Certs.Manager.Authority.Truststore']
  const { device, daemons } = await opened(t, { installed: first, without })
  t.equal(device.server, first)
  t.equal(device.authorities, undefined)
  await t.rejects(device.replace(pair(t, 'second')), { code: 'ENODEV' })
  await daemons.start('Certs.Manager.Authority.Truststore')
  await is(device, () => device.authorities !== undefined)
})

t.test('without the helper there is no pair, and a line in the log', async (t) => {
  const bus = await TestBus.start(t)
  const directory = t.testdir({ 'certificates-1.pem': 'a key' })
  const warnings: string[] = []
  const https = join(directory, 'none')
  const warn = (text: string) => warnings.push(text)
  const device = open({ name: 'certificates-1', socket: bus.socket, https, directory, warn })
  t.teardown(() => device.close())
  await device.settled
  t.equal(device.server, undefined)
  t.match(warnings, [/certificates-1: .*none/])
  t.notOk(existsSync(join(directory, 'certificates-1.pem')), 'what a process left that was killed is removed')
})
