import type { Test } from 'tap'
import {
  acceptedIn,
  accepts,
  type Power,
  type PowerEvent,
  type PowerOperation,
  type PowerState,
  powerStates
} from '#hal/power.ts'
import type { Held } from '#test/hal/held.ts'

const powerOperations = Object.keys(acceptedIn) as PowerOperation[]

/** Watches a machine: all its events so far, and a promise of the next one of a kind. */
export function watch(power: Power) {
  const seen: string[] = []
  const waiting = new Map<string, () => void>()
  power.on((event) => {
    seen.push(say(event))
    waiting.get(say(event))?.()
  })
  return {
    seen,
    /** Resolves at the next event that reads like this, as in `seen`. */
    next: (event: string) => new Promise<void>((resolve) => waiting.set(event, resolve))
  }
}

function say(event: PowerEvent): string {
  if (event.type === 'state') return String(event.state)
  return event.type === 'boot' ? `boot ${event.cause}` : event.type
}

/**
 * The contract of every back end of hal/power.ts.
 *
 * @param open a machine whose operating system obeys the power button, in the state wanted, with nothing under way
 */
export function powerContract(t: Test, backEnd: string, open: (state: 'On' | 'Off') => Promise<Held>) {
  const withPower = (title: string, state: 'On' | 'Off', body: (t: Test, power: Held) => Promise<void>) =>
    t.test(`${backEnd}: ${title}`, async (t) => {
      const power = await open(state)
      t.teardown(() => power.close())
      t.equal(power.state, state)
      await body(t, power)
    })

  withPower('switched on, it passes PoweringOn and boots before it is On', 'Off', async (t, power) => {
    const { seen, next } = watch(power)
    const on = next('On')
    await power.perform('on')
    t.equal(power.state, 'PoweringOn', 'accepted, not there yet')
    await on
    t.strictSame(seen, ['PoweringOn', 'boot powerOn', 'On'])
    t.equal(power.state, 'On')
  })

  for (const operation of ['forceOff', 'holdButton', 'gracefulShutdown', 'pressButton'] as const) {
    withPower(`${operation} takes it from On to Off, without a boot`, 'On', async (t, power) => {
      const { seen, next } = watch(power)
      const off = next('Off')
      await power.perform(operation)
      t.equal(power.state, 'PoweringOff')
      await off
      t.strictSame(seen, ['PoweringOff', 'Off'])
    })
  }

  withPower('a press of the button switches it on', 'Off', async (t, power) => {
    const { seen, next } = watch(power)
    const on = next('On')
    await power.perform('pressButton')
    await on
    t.strictSame(seen, ['PoweringOn', 'boot powerOn', 'On'])
  })

  withPower('a reset boots it and never takes it off', 'On', async (t, power) => {
    const { seen, next } = watch(power)
    const boot = next('boot reset')
    await power.perform('forceRestart')
    await boot
    t.strictSame(seen, ['boot reset'])
    t.equal(power.state, 'On')
  })

  withPower('while it is reset, it obeys nothing but what cuts the power', 'On', async (t, power) => {
    const off = watch(power).next('Off')
    await power.perform('forceRestart')
    for (const operation of powerOperations.filter((operation) => accepts('On', operation))) {
      if (operation === 'forceOff' || operation === 'holdButton') continue
      await t.rejects(power.perform(operation), { name: 'HalError', code: 'EBUSY' }, operation)
    }
    await power.perform('forceOff')
    await off
  })

  withPower('a graceful restart boots it once and ends On', 'On', async (t, power) => {
    const { seen, next } = watch(power)
    const on = next('On')
    await power.perform('gracefulRestart')
    await on
    t.equal(seen.filter((event) => event.startsWith('boot')).length, 1)
    t.ok(seen.at(-2)?.startsWith('boot'), 'the boot comes before the state it leads to')
  })

  withPower('a cold boot passes Off', 'On', async (t, power) => {
    const { seen, next } = watch(power)
    const on = next('On')
    await power.perform('coldBoot')
    await on
    t.strictSame(seen, ['PoweringOff', 'Off', 'PoweringOn', 'boot powerOn', 'On'])
  })

  withPower('an NMI leaves it On', 'On', async (t, power) => {
    const { seen } = watch(power)
    await power.perform('nmi')
    t.strictSame(seen, ['nmi'])
    t.equal(power.state, 'On')
  })

  withPower('an auxiliary cycle leaves it Off', 'Off', async (t, power) => {
    const { seen } = watch(power)
    await power.perform('auxCycle')
    t.strictSame(seen, ['auxCycle'])
    t.equal(power.state, 'Off')
  })

  withPower('power can be cut while it is switched on, and then nothing boots', 'Off', async (t, power) => {
    const { seen, next } = watch(power)
    const off = next('Off')
    await power.perform('on')
    await power.perform('forceOff')
    await off
    t.strictSame(seen, ['PoweringOn', 'PoweringOff', 'Off'])
  })

  withPower('a shutdown that takes long can be cut short', 'On', async (t, power) => {
    const { seen, next } = watch(power)
    const off = next('Off')
    await power.perform('gracefulShutdown')
    await power.perform('forceOff')
    await off
    t.strictSame(seen, ['PoweringOff', 'Off'])
  })

  /** How to get a machine into each state, from one that is settled. */
  const ways: Record<PowerState, [from: 'On' | 'Off', operation?: 'on' | 'gracefulShutdown']> = {
    On: ['On'],
    Off: ['Off'],
    PoweringOn: ['Off', 'on'],
    PoweringOff: ['On', 'gracefulShutdown']
  }
  for (const state of powerStates) {
    const [from, operation] = ways[state]
    withPower(`${state}: what makes no sense is EINVAL and changes nothing`, from, async (t, power) => {
      if (operation) await power.perform(operation)
      const { seen } = watch(power)
      for (const refused of powerOperations.filter((operation) => !accepts(state, operation))) {
        await t.rejects(power.perform(refused), { name: 'HalError', code: 'EINVAL' }, refused)
        t.equal(power.state, state)
      }
      t.strictSame(seen, [])
    })
  }

  const boots = [
    ['on', 'Off', ['PoweringOn', 'held', 'let go', 'boot powerOn', 'On']],
    ['pressButton', 'Off', ['PoweringOn', 'held', 'let go', 'boot powerOn', 'On']],
    ['forceRestart', 'On', ['held', 'let go', 'boot reset']],
    ['coldBoot', 'On', ['PoweringOff', 'Off', 'PoweringOn', 'held', 'let go', 'boot powerOn', 'On']]
  ] as const
  for (const [operation, from, events] of boots) {
    withPower(`${operation}: what has to be done before the boot is waited for`, from, async (t, power) => {
      const { seen, next } = watch(power)
      const last = next(events.at(-1)!)
      power.beforeBoot = async () => {
        seen.push('held')
        await new Promise((resolve) => setImmediate(resolve))
        seen.push('let go')
      }
      await power.perform(operation)
      await last
      t.strictSame(seen, events)
    })
  }

  withPower('a graceful restart holds the host before it boots', 'On', async (t, power) => {
    const { seen, next } = watch(power)
    const on = next('On')
    power.beforeBoot = async () => {
      seen.push('held')
    }
    await power.perform('gracefulRestart')
    await on
    t.equal(seen.filter((event) => event === 'held').length, 1)
    t.ok(seen[seen.indexOf('held') + 1]?.startsWith('boot'))
  })

  withPower('what does not boot is not held', 'On', async (t, power) => {
    const off = watch(power).next('Off')
    let held = false
    power.beforeBoot = async () => {
      held = true
    }
    await power.perform('nmi')
    await power.perform('gracefulShutdown')
    await off
    t.equal(held, false)
  })

  withPower('what fails before the boot does not keep the machine off', 'Off', async (t, power) => {
    const on = watch(power).next('On')
    power.beforeBoot = () => Promise.reject(new Error('in vain'))
    await power.perform('on')
    await on
    t.equal(power.state, 'On')
  })

  withPower('a held host can be switched off, and its pending boot is dropped', 'Off', async (t, power) => {
    const { seen, next } = watch(power)
    const off = next('Off')
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      power.beforeBoot = () => {
        resolve()
        return new Promise((release) => {
          letGo = release
        })
      }
    })
    await power.perform('on')
    await held
    await power.perform('forceOff')
    await off
    power.beforeBoot = async () => {
      seen.push('held again')
    }
    const on = next('On')
    await power.perform('on')
    letGo()
    await on
    t.strictSame(seen, ['PoweringOn', 'PoweringOff', 'Off', 'PoweringOn', 'held again', 'boot powerOn', 'On'])
  })

  withPower('a removed listener is not called', 'On', async (t, power) => {
    let heard = 0
    const stop = power.on(() => {
      heard += 1
    })
    await power.perform('nmi')
    stop()
    await power.perform('nmi')
    t.equal(heard, 1)
  })

  withPower('closed, it is ENODEV', 'On', async (t, power) => {
    await power.close()
    await t.rejects(power.perform('nmi'), { name: 'HalError', code: 'ENODEV' })
  })
}
