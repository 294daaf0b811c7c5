import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { simPowerLimit } from '#hal/sim/power-limit.ts'
import { simSensors } from '#hal/sim/sensors.ts'
import { hwmonPowerLimit, powercapLimit } from '#hal/sysfs/power-limit.ts'
import { powerLimitContract } from '#test/hal/contracts/power-limit.ts'

/** A folder with files as the kernel has them. */
function kernel(t: Test, files: Record<string, string>): string {
  const folder = t.testdir({ other: { name: 'lm75\n' } })
  mkdirSync(join(folder, 'device'))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, 'device', file), `${text}\n`)
  return folder
}

const held = (folder: string, file: string) =>
  Number.parseInt(readFileSync(join(folder, 'device', file), 'utf8'), 10) / 1e6

const occ = { name: 'occ', power1_cap: '800000000', power1_cap_min: '150000000', power1_cap_max: '800000000' }
const rapl = { name: 'package-0', constraint_0_power_limit_uw: '125000000', constraint_0_max_power_uw: '800000000' }
const hwmon = { name: 'powerLimit-1', device: 'occ', input: 'power1' }
const powercap = { name: 'powerLimit-1', zone: 'device' }

powerLimitContract(t, 'simulator', () => {
  const limit = simPowerLimit({ minimum: 150, maximum: 800 })
  return { limit, held: () => limit.watts ?? 800 }
})

powerLimitContract(t, 'hwmon', (t) => {
  const folder = kernel(t, occ)
  return { limit: hwmonPowerLimit({ ...hwmon, folder }), held: () => held(folder, 'power1_cap') }
})

powerLimitContract(t, 'powercap', (t) => {
  const folder = kernel(t, rapl)
  return {
    limit: powercapLimit({ ...powercap, folder, minimum: 150 }),
    held: () => held(folder, 'constraint_0_power_limit_uw')
  }
})

t.test('the range of a board file takes precedence over that of the kernel', async (t) => {
  const folder = kernel(t, { ...rapl, ...occ })
  t.same(hwmonPowerLimit({ ...hwmon, folder, minimum: 200, maximum: 500 }).range, { minimum: 200, maximum: 500 })
  t.same(powercapLimit({ ...powercap, folder, minimum: 35 }).range, { minimum: 35, maximum: 800 })
})

t.test('a mistake in a board file is reported in one sentence', async (t) => {
  const folder = kernel(t, { ...rapl, ...occ })
  const opens = { name: 'HalError', code: 'ENODEV' }
  t.throws(() => hwmonPowerLimit({ ...hwmon, folder, device: 'lm75' }), {
    ...opens,
    message: /no power1_cap of a device lm75/
  })
  t.throws(() => hwmonPowerLimit({ ...hwmon, folder, input: 'power2' }), {
    ...opens,
    message: /there is lm75|there is occ/
  })
  t.throws(() => powercapLimit({ ...powercap, folder, zone: 'rapl:1' }), {
    ...opens,
    message: /there is device, other/
  })
  const range = { name: 'HalError', code: 'EINVAL', message: /powerLimit-1: it needs a minimum and a maximum/ }
  t.throws(() => powercapLimit({ ...powercap, folder }), range)
  t.throws(() => hwmonPowerLimit({ ...hwmon, folder, minimum: 900 }), range)
  writeFileSync(join(folder, 'device/constraint_0_max_power_uw'), '0\n')
  t.throws(() => powercapLimit({ ...powercap, folder, minimum: 35 }), range, 'a maximum of 0 is unknown')
})

t.test('a limit that the kernel does not accept does not change', async (t) => {
  const folder = kernel(t, occ)
  const limit = hwmonPowerLimit({ ...hwmon, folder })
  await limit.set(400)
  rmSync(join(folder, 'device/power1_cap'))
  await t.rejects(limit.set(300), { name: 'HalError', code: 'ENODEV', message: /^powerLimit-1: / })
  t.equal(limit.watts, 400)
})

t.test('the simulated power follows the limit, and the load follows the power', async (t) => {
  const sensors = [
    { number: 1, kind: 'power', on: 148, standby: 9 },
    { number: 2, kind: 'power', on: 141, standby: 8 },
    { number: 3, kind: 'load', on: 60, standby: 0 },
    { number: 4, kind: 'temperature', on: 54, standby: 20 }
  ] as const
  const limit = simPowerLimit({ minimum: 150, maximum: 800 })
  const host: { state: 'On' | 'Off' } = { state: 'On' }
  const device = simSensors({ sensors, limit, host, now: () => 1_750_000_000_000 })
  const readings = async () => {
    await device.poll()
    return sensors.map(({ number }) => device.read(number) as number)
  }
  const [one = 0, two = 0, load = 0, degrees = 0] = await readings()
  t.ok(one + two > 200, `${one + two} W without a limit`)
  await limit.set(150)
  const [less = 0, other = 0, slower = 0, same = 0] = await readings()
  t.ok(less + other <= 150 && less + other > 145, `${less + other} W`)
  t.ok(Math.abs(slower / load - (150 - 17) / (one + two - 17)) < 0.03, `${load} %, then ${slower} %`)
  t.equal(same, degrees)
  device.faults.ignoreLimit = true
  t.same((await readings()).slice(0, 3), [one, two, load])
  device.faults.ignoreLimit = false
  await limit.set(700)
  t.same((await readings()).slice(0, 3), [one, two, load], 'a limit above the power changes nothing')
  await limit.set(150)
  host.state = 'Off'
  t.same((await readings()).slice(0, 3), [9, 8, 0], 'standby power cannot be limited')
})
