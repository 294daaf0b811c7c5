import t from 'tap'
import { HalError } from '#hal/errors.ts'
import type { Nvram } from '#hal/nvram.ts'
import { Log } from '#runtime/base/log.ts'
import { acquired, write } from '#runtime/service/firmware/nvram-access.ts'

t.test('a store that is unsound or refuses a change is reported, and any other failure is thrown', async (t) => {
  const hal = (code: ConstructorParameters<typeof HalError>[0]) => new HalError(code, 'nvram')
  for (const [error, acquiring, writing] of [
    [undefined, true, true],
    [hal('EROFS'), false, 'thrown'],
    [hal('ENOSPC'), 'thrown', false],
    [hal('EINVAL'), 'thrown', false],
    [hal('EIO'), 'thrown', 'thrown'],
    [new TypeError('a bug'), 'thrown', 'thrown']
  ] as const) {
    const act = async () => {
      if (error !== undefined) throw error
    }
    const nvram = { acquire: act, set: act } as unknown as Nvram
    const parts = { log: new Log(1000) }
    const outcomes = [acquired(nvram, '1', parts), write(nvram, [], '1', parts)]
    const seen = await Promise.all(outcomes.map((each) => each.catch(() => 'thrown')))
    t.same(seen, [acquiring, writing], String(error))
  }
})
