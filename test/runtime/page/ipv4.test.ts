import t from 'tap'
import { staticAddress } from '#runtime/page/rules/ipv4.ts'

t.test('an address has its mask after a slash, or in a field of its own', async (t) => {
  const whole = { Address: '192.0.2.7', SubnetMask: '255.255.254.0', Gateway: '192.0.2.1' }
  t.same(staticAddress('192.0.2.7/23', '', '192.0.2.1'), whole)
  t.same(staticAddress(' 192.0.2.7', '255.255.254.0 ', ' 192.0.2.1'), whole)
  t.same(staticAddress('192.0.2.7/32', '', ''), { ...whole, SubnetMask: '255.255.255.255', Gateway: null })
})

t.test('the field that is wrong is named', async (t) => {
  for (const wrong of ['', '192.0.2', '192.0.2.256', '192.0.2.7/33', '192.0.2.7/0', 'fe80::1'])
    t.equal(staticAddress(wrong, '255.255.255.0', ''), 'address', wrong)
  t.equal(staticAddress('192.0.2.7', '', ''), 'mask')
  t.equal(staticAddress('192.0.2.7/24', '', 'router'), 'gateway')
})
