import type { Test } from 'tap'
import type { Firmware, FirmwareState } from '#hal/firmware.ts'

/** A component with two slots, and how it is given a version: as an image, or as a file of its maker. */
export interface Updated {
  readonly firmware: Firmware
  /** The version that a text becomes. */
  versionOf(text: string): string
  /** Installs a version. @returns its slot */
  install(text: string): Promise<number>
  /** Tries to install what is not what it should be. */
  installDamaged(): Promise<unknown>
  /** Begins to install a version, which does not end before the function returned is called. */
  begin(text: string): Promise<() => Promise<unknown>>
  /** The component, after a reset that starts it from the slot that is next. */
  restart(): Promise<Firmware>
}

/**
 * The contract of updates by every back end of hal/firmware.ts that has two slots.
 *
 * @param open a component that runs the version of one of its slots
 */
export function updatesContract(t: Test, backEnd: string, open: (t: Test) => Promise<Updated>) {
  const updated = (title: string, body: (t: Test, component: Updated) => Promise<void>) =>
    t.test(`${backEnd}: ${title}`, async (t) => body(t, await open(t)))
  /** The version that runs, and the one that is next. */
  const versions = ({ slots, running, next }: FirmwareState) => [slots[running]?.version, slots[next]?.version]

  updated('a version is installed beside the one that runs', async (t, { firmware, versionOf, install }) => {
    const before = firmware.state
    t.match(before, { slots: { length: 2 }, next: before.running, committed: true })
    const told: FirmwareState[] = []
    const stop = firmware.on((state) => told.push(state))
    const slot = await install('one')
    stop()
    t.equal(slot, 1 - before.running)
    t.equal(firmware.state.running, before.running)
    t.same(firmware.state.slots[slot], { version: versionOf('one') })
    t.same(firmware.state.slots[before.running], before.slots[before.running])
    t.same(told.at(-1), firmware.state)
  })

  updated('a version that is activated runs after a reset', async (t, { firmware, versionOf, install, restart }) => {
    const [before] = versions(firmware.state)
    const slot = await install('one')
    await firmware.activate(slot)
    t.same(versions(firmware.state), [before, versionOf('one')])
    const again = await restart()
    t.same(versions(again.state), [versionOf('one'), versionOf('one')])
    await again.commit()
    t.equal(again.state.committed, true)
  })

  updated('an activation is taken back by that of what runs', async (t, { firmware, install, restart }) => {
    const [before] = versions(firmware.state)
    await firmware.activate(await install('one'))
    await firmware.activate(firmware.state.running)
    t.same(versions(firmware.state), [before, before])
    t.same(versions((await restart()).state), [before, before])
  })

  updated('a later version takes the place of one that was not started', async (t, component) => {
    const { firmware, versionOf, install } = component
    const [before] = versions(firmware.state)
    const first = await install('one')
    t.equal(await install('two'), first)
    t.same(firmware.state.slots[first], { version: versionOf('two') })
    t.equal(versions(firmware.state)[0], before)
  })

  updated('what is damaged is refused, and what runs goes on', async (t, { firmware, install, installDamaged }) => {
    const [before] = versions(firmware.state)
    const { code } = await installDamaged().then(
      () => ({ code: 'none' }),
      (error) => error
    )
    t.ok(['EINVAL', 'EIO'].includes(code), code)
    t.same(versions(firmware.state), [before, before])
    await install('one')
  })

  updated('one version is installed at a time', async (t, { firmware, versionOf, install, begin }) => {
    const end = await begin('one')
    await t.rejects(install('two'), { name: 'HalError', code: 'EBUSY' })
    await t.rejects(firmware.activate(firmware.state.running), { name: 'HalError', code: 'EBUSY' })
    await end()
    t.ok(firmware.state.slots.some(({ version }) => version === versionOf('one')))
    await install('two')
  })

  updated('nothing is started from a slot that is not there', async (t, { firmware }) => {
    const before = firmware.state
    for (const slot of [2, -1]) await t.rejects(firmware.activate(slot), { name: 'HalError', code: 'EINVAL' })
    t.same(firmware.state, before)
  })

  updated('a component that is closed does nothing', async (t, { firmware, install }) => {
    await firmware.close()
    await t.rejects(install('one'), { code: 'ENODEV' })
    await t.rejects(firmware.activate(0), { code: 'ENODEV' })
    await t.rejects(firmware.commit(), { code: 'ENODEV' })
  })
}
