import t from 'tap'
import { fieldOf } from '#runtime/page/rules/concerned.ts'

const properties = { id: 'VLAN/VLANId', servers: 'NTP/NTPServers', user: 'UserName', again: '' }
const about = (related: readonly string[] | undefined, ...args: readonly string[]) =>
  fieldOf({ MessageId: 'Base.1.0.Any', MessageArgs: args, ...(related && { RelatedProperties: related }) }, properties)

t.test('a message is about the field of the property that it names, or of what is inside of it', async (t) => {
  t.equal(about(['#/VLAN/VLANId']), 'id')
  t.equal(about(['#/NTP/NTPServers/1']), 'servers')
  t.equal(about(['#/VLAN/VLANIdentity'], 'VLANId'), undefined, 'a longer name is another one')
})

t.test('without such properties an argument names it', async (t) => {
  t.equal(about(undefined, 'ManagerAccount', 'UserName', 'admin'), 'user')
  t.equal(about(undefined, 'none of them', ''), undefined)
  t.equal(about(undefined, 'UserName', 'VLANId'), undefined, 'two properties are ambiguous')
})
