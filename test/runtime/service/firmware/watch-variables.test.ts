import t from 'tap'
import { configuration } from '#data/configuration'
import { HalError } from '#hal/errors.ts'
import { type Nvram, unusableNvram } from '#hal/nvram.ts'
import { simPower } from '#hal/sim/power.ts'
import { watchVariables } from '#runtime/service/firmware/watch-variables.ts'
import { Store } from '#runtime/store/store.ts'

t.test('changes of variables by a running host are seen, until the store cannot be read', async (t) => {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  const running = simPower({ initial: 'On' })
  const off = simPower({ initial: 'Off' })
  // The watch itself keeps no process alive.
  const alive = setInterval(() => undefined, 1000)
  const moves: boolean[] = []
  const before = store.revisions.of('nvram/1')
  const nvram: Nvram = unusableNvram({ state: 'ok', faults: [] })
  await new Promise<void>((resolve) => {
    const look = () => {
      moves.push(store.revisions.of('nvram/1') !== before)
      if (moves.length === 4) throw new HalError('EIO', 'the flash is gone')
      return moves.length === 2
    }
    const log = store.log.lines.add((line) => {
      t.match(JSON.parse(line.text), { level: 'warning', system: '1', cause: 'the flash is gone' })
      log()
      stop()
      resolve()
    })
    const variables = new Map([
      ['1', { ...nvram, look }],
      ['2', { ...nvram, look: () => t.fail('it is off') }],
      ['3', nvram]
    ])
    const power = new Map([
      ['1', running],
      ['2', off]
    ])
    const stop = watchVariables(store, { nvram: variables, power }, 1)
  })
  t.same(moves, [false, false, true, true])
  clearInterval(alive)
  await Promise.all([running.close(), off.close(), store.close()])
})

t.test(
  'variables are looked at every two seconds until that ends, and a store that shows none costs no timer',
  async (t) => {
    const timers = t.capture(globalThis, 'setInterval', (() => ({ unref: () => 7 })) as unknown as typeof setInterval)
    const cleared = t.capture(globalThis, 'clearInterval', () => {})
    const nvram = unusableNvram({ state: 'ok', faults: [] })
    const watch = (each: Nvram) => watchVariables({} as Store, { nvram: new Map([['1', each]]), power: new Map() })
    watch(nvram)()
    t.same([timers().length, cleared().length], [0, 0])
    const stop = watch({ ...nvram, look: () => false })
    t.equal(timers()[0]?.args[1], 2000)
    t.same(cleared(), [])
    stop()
    t.equal(cleared()[0]?.args[0], 7)
  }
)
