import t from 'tap'
import { readAnswer, settingsText } from '#hal/sysfs/port-settings.ts'
import { setUp, shared } from '#test/hal/contracts/port.ts'

t.test('an answer without a line has the default of it', async (t) => {
  const unused = { enabled: false, useDns: true, useDomain: true, useNtp: true }
  t.strictSame(readAnswer(''), {
    ...{ serial: 0, result: 0, carrier: '', lease: undefined, ntpServers: [] },
    settings: {
      ...{ enabled: false, mtu: 1500, vlan: { enabled: false, id: 1, priority: 0 } },
      ...{ ipv4: [], gateway: null, dhcpv4: { ...unused, useGateway: true } },
      ...{ ipv6: [], ipv6Gateway: null, dhcpv6: unused, slaac: false, nameServers: [] }
    }
  })
})

t.test('written settings are read back unchanged', async (t) => {
  for (const settings of [
    setUp,
    { ...setUp, enabled: false, slaac: true },
    { ...setUp, vlan: { enabled: true, id: 4094, priority: 7 } },
    { ...setUp, gateway: '198.51.100.1', ipv6Gateway: 'fe80::1' },
    ...[0, 1, 7, 8, 9, 23, 24, 25, 31, 32].map((length) => ({
      ...setUp,
      ipv4: [{ address: '198.51.100.9', subnetMask: mask(length) }]
    }))
  ])
    t.strictSame(readAnswer(settingsText(7, settings, shared)).settings, settings)
  t.match(
    settingsText(7, { ...setUp, enabled: false, slaac: true }, { ...shared, ntp: false, domain: 'a.example' }),
    [/^serial 7\nenabled 0\n/, /\nslaac 1\nhostname controller\ndomain a\.example\nntp 0\n$/][0] as RegExp
  )
})

/** A subnet mask of so many ones. */
function mask(length: number): string {
  const bits = ''.padStart(length, '1').padEnd(32, '0')
  return [0, 8, 16, 24].map((at) => Number.parseInt(bits.slice(at, at + 8), 2)).join('.')
}
