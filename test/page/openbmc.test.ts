import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { ann, bios, call, openbmcMachine, other, rootPassword, set } from '#test/openbmc/machine.ts'
import { missingPam } from '#test/openbmc/pam.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

/** A text that the screen shows after a change on the bus, or does not show any more; each is the other way before. */
type Change = readonly [what: string, by: readonly string[], shows: { readonly text?: string; readonly gone?: string }]

const changes: Readonly<Record<string, readonly Change[]>> = {
  Overview: [
    [
      'settings that wait',
      set(...bios, '1', 'DebugLevel', '.BIOSConfig.Manager.AttributeType.Integer', 'x', '3'),
      { text: 'Debug level' }
    ],
    [
      'a lamp',
      set('LED.GroupManager', 'led/groups/enclosure_identify', 'Led.Group', 'Asserted', 'b', 'true'),
      { text: 'Turn lamp off', gone: 'Turn lamp on' }
    ],
    [
      'a host that is switched off',
      set('State.Host', 'state/host0', 'State.Host', 'RequestedHostTransition', 's', '.State.Host.Transition.Off'),
      { text: 'Off' }
    ]
  ],
  Accounts: [
    [
      'a new user',
      call('User.Manager', 'user', 'User.Manager', 'CreateUser', 'sassb', 'ann', '1', 'redfish', 'priv-user', 'true'),
      { text: 'ann' }
    ],
    ['the role of a user', set(...ann, 'UserPrivilege', 's', 'priv-operator'), { text: 'Operator' }],
    ['a user who is disabled', set(...ann, 'UserEnabled', 'b', 'false'), { text: 'disabled' }],
    ['a user who is removed', call('User.Manager', 'user/ann', 'Object.Delete', 'Delete'), { gone: 'ann' }]
  ],
  Log: [
    [
      'a new entry',
      call(
        ...['Logging', 'logging', 'Logging.Create', 'Create', 'ssa{ss}'],
        ...['Fan 1 failed.', '.Logging.Entry.Level.Error', '0']
      ),
      { text: 'Fan 1 failed.' }
    ],
    [
      'an entry that is deleted',
      call('Logging', 'logging/entry/2', 'Object.Delete', 'Delete'),
      { gone: 'Fan 1 failed.' }
    ]
  ],
  Updates: [
    ['a version that is deleted', call('Software.Manager', other, 'Object.Delete', 'Delete'), { gone: '2.12.1' }]
  ],
  Inventory: [
    [
      'a part that is pulled',
      set('Smbios.MDR_V2', 'inventory/system/chassis/motherboard/dimm9', 'Inventory.Item', 'Present', 'b', 'false'),
      { gone: 'DIMM00009' }
    ]
  ]
}

const missing = missingPam()

withBrowser('the page shows what other programs change on the bus, without being loaded again', async (t, browser) => {
  if (missing !== undefined) return needing('with users of the machine', missing, async () => {})
  const { bus, daemons, server } = await openbmcMachine(t, node)
  const visitor = await Visitor.open(t, browser, server)
  await visitor.logIn(rootPassword, 'root')
  await visitor.sees('live')
  await visitor.page.evaluate('globalThis.isSame = true')

  t.test('Sensors: a reading', async () => {
    await visitor.follow('Sensors')
    await daemons.set('/xyz/openbmc_project/sensors/altitude/Altitude', 'Sensor.Value', 'Value', 777)
    await visitor.sees('777 m')
  })

  t.test('Boot: the source of a boot override', async () => {
    await visitor.follow('Boot')
    const chosen = (text: string) =>
      visitor.page.waitForFunction(
        `[...document.querySelectorAll('select')].some((each) => each.selectedOptions[0]?.text === '${text}')`
      )
    await chosen('None')
    const source = ['Control.Boot.Source', 'BootSource', 's', '.Control.Boot.Source.Sources.Network'] as const
    bus.busctl(...set('Settings', 'control/host0/boot', 'Object.Enable', 'Enabled', 'b', 'true'))
    bus.busctl(...set('Settings', 'control/host0/boot', ...source))
    await chosen('Network (PXE)')
  })

  for (const [screen, those] of Object.entries(changes))
    for (const [what, by, { text, gone }] of those)
      t.test(`${screen}: ${what}`, async (t) => {
        await visitor.follow(screen)
        if (gone !== undefined) await visitor.sees(gone)
        if (text !== undefined) t.notOk((await visitor.text()).includes(text))
        bus.busctl(...by)
        if (text !== undefined) await visitor.sees(text)
        if (gone !== undefined) await visitor.misses(gone)
      })

  t.test('all of it in one visit', async (t) => {
    t.ok(await visitor.page.evaluate('globalThis.isSame'))
    t.same(visitor.faults, [])
  })
})
