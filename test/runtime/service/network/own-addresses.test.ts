import t from 'tap'
import { ownAddresses } from '#runtime/service/network/own-addresses.ts'

const at = (listens: string) => ownAddresses(listens).map(({ address }) => address)

t.test('a service is found at the addresses that it listens on', async (t) => {
  t.strictSame(at('127.0.0.1'), ['127.0.0.1'])
  t.ok(at('0.0.0.0').includes('127.0.0.1'))
  t.notOk(at('0.0.0.0').some((each) => each.includes(':')))
  for (const each of at('0.0.0.0')) t.ok(at('::').includes(each), 'who listens on :: is reached over IPv4 as well')
  t.strictSame(at('192.0.2.1'), [])
})

t.test('an address of a link has its interface with it', async (t) => {
  for (const { address, name, isLinkLocal } of ownAddresses('::')) {
    t.equal(isLinkLocal, /^fe[89ab]/.test(address), address)
    t.equal(address.endsWith(`%${name}`), isLinkLocal, address)
  }
})
