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
