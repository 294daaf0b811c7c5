import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Sensor } from '#hal/sensors.ts'
import { hwmonSensors } from '#hal/sysfs/sensors.ts'
import { sensorsContract } from '#test/hal/contracts/sensors.ts'

const sensors: Sensor[] = [
  { number: 1, kind: 'temperature', on: 60, standby: 20 },
  { number: 2, kind: 'fan', on: 30, standby: 10 },
  { number: 3, kind: 'power', on: 200, standby: 10 },
  { number: 4, kind: 'load', on: 40, standby: 0 }
]
const inputs = {
  1: { device: 'tmp75', input: 'temp1' },
  2: { device: 'aspeed_pwm', input: 'fan3', most: 12_000 },
  3: { device: 'ina219', input: 'power1' }
}

/** A folder as the kernel's: a folder for each device, with its name and its inputs. */
function kernel(t: Test): string {
  const folder = t.testdir()
  const device = (path: string, name: string, files: Record<string, string>) => {
    mkdirSync(join(folder, path))
    for (const [file, text] of Object.entries({ name, ...files })) writeFileSync(join(folder, path, file), `${text}\n`)
  }
  device('hwmon0', 'tmp75', { temp2_input: '1000' })
  device('hwmon1', 'aspeed_pwm', { fan3_input: '4200' })
  device('hwmon2', 'ina219', { power1_input: '118600000' })
  device('hwmon7', 'tmp75', { temp1_input: '41500' })
  return folder
}

const open = (folder: string, more: object = {}) =>
  hwmonSensors({ name: 'sensors-1', sensors, inputs, folder, ...more })

sensorsContract(t, 'hwmon', async () => ({ sensors: open(kernel(t)), known: 1, unknown: 99 }))

t.test('degrees, percent of full speed and watts; a sensor without an input has no reading', async (t) => {
  const device = open(kernel(t))
  await device.poll()
  t.same(
    [1, 2, 3, 4].map((number) => device.read(number)),
    [42, 35, 119, undefined]
  )
})

t.test('volts, amperes, joules and relative humidity, to a thousandth', async (t) => {
  const folder = t.testdir({
    hwmon0: {
      name: 'ina219\n',
      in1_input: '12047\n',
      curr1_input: '930\n',
      energy1_input: '5400123456\n',
      humidity1_input: '44250\n'
    }
  })
  const inputNames = { voltage: 'in1', current: 'curr1', energy: 'energy1', humidity: 'humidity1' } as const
  const kinds = Object.keys(inputNames) as (keyof typeof inputNames)[]
  const device = open(folder, {
    sensors: kinds.map((kind, at) => ({ number: at, kind, on: 1, standby: 1 })),
    inputs: Object.fromEntries(kinds.map((kind, at) => [at, { device: 'ina219', input: inputNames[kind] }]))
  })
  await device.poll()
  t.same(
    kinds.map((_, at) => device.read(at)),
    [12.047, 0.93, 5400.123, 44.25]
  )
})

t.test('sensors that are missing or invalid are unknown, and the others are read', async (t) => {
  const folder = kernel(t)
  const device = open(folder)
  rmSync(join(folder, 'hwmon7'), { recursive: true })
  writeFileSync(join(folder, 'hwmon2/power1_input'), 'N/A\n')
  await device.poll()
  t.same(
    [1, 2, 3].map((number) => device.read(number)),
    [undefined, 35, undefined]
  )
  writeFileSync(join(folder, 'hwmon2/power1_input'), '1000000\n')
  await device.poll()
  t.equal(device.read(3), 1, 'it comes back')
})

t.test('when nothing can be read that is a failure, and nothing is known any more', async (t) => {
  const folder = kernel(t)
  const device = open(folder)
  await device.poll()
  for (const name of ['hwmon1', 'hwmon2', 'hwmon7']) rmSync(join(folder, name), { recursive: true })
  await t.rejects(device.poll(), { code: 'EIO' })
  t.same(
    [1, 2, 3].map((number) => device.read(number)),
    [undefined, undefined, undefined]
  )
})

t.test('the sensors of a board without inputs have no reading', async (t) => {
  const device = open('/nowhere', { inputs: undefined })
  await device.poll()
  t.equal(device.read(1), undefined)
})

t.test('the counters of a port are those of the kernel', async (t) => {
  const files = [
    'rx_bytes',
    'rx_packets',
    'rx_errors',
    'rx_dropped',
    'tx_bytes',
    'tx_packets',
    'tx_errors',
    'tx_dropped'
  ]
  const statistics = Object.fromEntries(files.map((file, at) => [file, `${at + 1}\n`]))
  const folder = kernel(t)
  mkdirSync(join(folder, 'net/eth1/statistics'), { recursive: true })
  for (const [file, text] of Object.entries(statistics)) writeFileSync(join(folder, 'net/eth1/statistics', file), text)
  const net = { links: { 'nic-1/1': 'eth1' }, linkFolder: join(folder, 'net') }
  const device = open(folder, net)
  t.same([device.counts?.('links', 'nic-1/1'), device.counts?.('links', 'nic-1/2')], [true, false])
  t.equal(device.counts?.('drives', 'nic-1/1'), false)
  t.same(device.counters?.('links', 'nic-1/1'), {
    ...{ receivedBytes: 1, receivedFrames: 2, receivedErrors: 3, receivedDiscards: 4 },
    ...{ sentBytes: 5, sentFrames: 6, sentErrors: 7, sentDiscards: 8 }
  })
  rmSync(join(folder, 'net/eth1/statistics/tx_bytes'))
  t.equal(device.counters?.('links', 'nic-1/1'), undefined, 'while one cannot be read')
  t.throws(() => open(folder, { ...net, links: { 'nic-1/1': 'eth7' } }), { code: 'ENODEV', message: /there is eth1$/ })
})

t.test('a mistake in a board file is reported in one sentence', async (t) => {
  const folder = kernel(t)
  const wrong: [object, string, string | RegExp][] = [
    [{ 9: inputs[1] }, 'EINVAL', 'sensors-1: there is no sensor 9'],
    [{ 1: { device: 'tmp75' } }, 'EINVAL', /the input of sensor 1 needs/],
    [{ 1: { device: 'tmp75', input: '../temp1' } }, 'EINVAL', /the input of sensor 1 needs/],
    [{ 2: { device: 'aspeed_pwm', input: 'fan3' } }, 'EINVAL', /a fan its most/],
    [
      { 1: { device: 'lm99', input: 'temp1' } },
      'ENODEV',
      /no temp1_input of a device lm99 .* there is tmp75, aspeed_pwm, ina219/
    ],
    [{ 1: { device: 'tmp75', input: 'temp3' } }, 'ENODEV', /no temp3_input of a device tmp75/]
  ]
  for (const [inputs, code, message] of wrong)
    t.throws(() => open(folder, { inputs }), { name: 'HalError', code, message })
  t.throws(() => open('/nowhere'), { code: 'ENODEV', message: /there is none$/ })
})
