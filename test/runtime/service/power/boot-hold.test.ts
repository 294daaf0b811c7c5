import t from 'tap'
import { BootHold } from '#runtime/service/power/boot-hold.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Two steps that note what they do; the first waits until it is released. */
function steps() {
  const seen: string[] = []
  let release = () => {}
  const first = async (system: string) => {
    seen.push(`first ${system}`)
    await new Promise<void>((resolve) => {
      release = resolve
    })
  }
  const second = async (system: string) => {
    seen.push(`second ${system}`)
  }
  return { seen, first, second, release: () => release() }
}

t.test('a boot waits until the hold is open, and then for its steps, one after another', async (t) => {
  const hold = new BootHold()
  const { seen, first, second, release } = steps()
  const boot = hold.beforeBoot('1').then(() => seen.push('boot'))
  await turn()
  t.same(seen, [])
  hold.open(first, second)
  await turn()
  t.same(seen, ['first 1'])
  release()
  await boot
  t.same(seen, ['first 1', 'second 1', 'boot'])
})

t.test('after a step that fails, the host boots without the rest', async (t) => {
  const hold = new BootHold()
  const { seen, second } = steps()
  hold.open(async () => {
    throw new Error('the host is no longer switched on')
  }, second)
  await t.rejects(hold.beforeBoot('1'), { message: 'the host is no longer switched on' })
  t.same(seen, [])
})

t.test('after it is closed a host stays held, whether its steps were under way or not', async (t) => {
  const hold = new BootHold()
  const { seen, first, second, release } = steps()
  hold.open(first, second)
  void hold.beforeBoot('1').then(() => seen.push('boot'))
  await turn()
  hold.close()
  release()
  void hold.beforeBoot('2').then(() => seen.push('boot'))
  await turn()
  t.same(seen, ['first 1'])
})

t.test('a host whose last step ends after the hold is closed stays held', async (t) => {
  const hold = new BootHold()
  const { seen, first, release } = steps()
  hold.open(first)
  void hold.beforeBoot('1').then(() => seen.push('boot'))
  await turn()
  hold.close()
  release()
  await turn()
  t.same(seen, ['first 1'])
})
