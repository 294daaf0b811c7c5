import t from 'tap'
import { simSensors } from '#hal/sim/sensors.ts'
import { Log, log } from '#runtime/base/log.ts'
import { Polling } from '#runtime/service/telemetry/polling.ts'

const sensors = [{ number: 1, kind: 'fan', on: 30, standby: 10 }] as const

t.test('a device that fails keeps no other one from being read, and is logged once until it can be read', async (t) => {
  const broken = simSensors({ sensors, timeout: 0, faults: { hang: true } })
  const sound = simSensors({ sensors })
  const rounds: unknown[] = []
  const devices = new Map(Object.entries({ broken, sound }))
  const own = new Log(1000)
  const polling = new Polling(devices, 3600, () => rounds.push([broken.read(1), sound.read(1)]), own)
  t.teardown(() => polling.close())
  await polling.poll()
  await polling.poll()
  t.same(rounds, [
    [undefined, 30],
    [undefined, 30]
  ])
  broken.faults.hang = false
  await polling.poll()
  t.same(rounds[2], [30, 30])
  await polling.poll()
  const lines = own.recent.map((line) => JSON.parse(line))
  t.match(lines, [
    { level: 'warning', chassis: 'broken', message: 'the sensors cannot be read', cause: /./ },
    { level: 'info', chassis: 'broken', message: 'the sensors can be read again' }
  ])
  t.equal(lines.length, 2)
  broken.faults.hang = true
  await polling.poll()
  t.equal(own.recent.length, 3, 'another failure is logged again')
})

t.test('the timer is of so many seconds, keeps no process alive, and ends with the polling', async (t) => {
  let isHeld = true
  const timer = { unref: () => (isHeld = false) }
  const timers = t.capture(globalThis, 'setInterval', (() => timer) as unknown as typeof setInterval)
  const ended = t.capture(globalThis, 'clearInterval', () => {})
  const polling = new Polling(new Map(), 7, () => undefined, log)
  t.equal(timers()[0]?.args[1], 7000)
  t.notOk(isHeld)
  await polling.close()
  t.equal(ended()[0]?.args[0], timer)
})

t.test('a round that takes its time is waited for, not begun twice', async (t) => {
  const device = simSensors({ sensors, timeout: 0, faults: { hang: true } })
  let rounds = 0
  const count = () => {
    rounds += 1
  }
  const polling = new Polling(new Map([['1', device]]), 3600, count, log)
  await Promise.all([polling.poll(), polling.poll()])
  t.equal(rounds, 1)
  void polling.poll()
  await polling.close()
  t.equal(rounds, 2, 'also at the end')
})

t.test('sensors are read at the interval', async (t) => {
  const device = simSensors({ sensors })
  const read = new Promise<void>((resolve) => {
    const stop = device.on(() => {
      stop()
      resolve()
    })
  })
  const alive = setTimeout(() => t.fail('nothing was read'), 30_000)
  const polling = new Polling(new Map([['1', device]]), 0.01, () => undefined, log)
  await read
  clearTimeout(alive)
  await polling.close()
})
