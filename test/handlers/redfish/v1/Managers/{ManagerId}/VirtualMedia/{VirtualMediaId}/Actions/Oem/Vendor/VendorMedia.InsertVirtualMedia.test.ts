import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/VirtualMedia/{VirtualMediaId}/Actions/Oem/Vendor/VendorMedia.InsertVirtualMedia.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1', VirtualMediaId: '2' }
const Image = 'https://files.example/boot.iso'

t.test('an image is put into the drive, which cannot be written', async (t) => {
  const { status, writes } = await POST(context({ params, body: { Image } }))
  t.equal(status, 200)
  t.same(writes, {
    virtualMedia: { '1/2': { image: Image, inserted: true, writeProtected: true, verifyCertificate: false } }
  })
})

t.test('a URI with another scheme than http or https is 400, and a password in it is not repeated', async (t) => {
  const refused = (shown: string) => ({
    status: 400,
    messages: [['Base.ActionParameterValueFormatError', shown, 'Image', 'VendorMedia.InsertVirtualMedia']]
  })
  for (const bad of [
    '',
    'boot.iso',
    'ftp://files.example/boot.iso',
    'https://',
    'https:///boot.iso',
    'https://a/b#c'
  ]) {
    t.same(await refusal(() => POST(context({ params, body: { Image: bad } }))), refused(bad))
  }
  const secret = 'https://ann:secret@files.example/boot.iso'
  t.same(await refusal(() => POST(context({ params, body: { Image: secret } }))), refused('******'))
})

t.test('a full drive takes nothing more', async (t) => {
  const tables = { virtualMedia: { '1/2': { image: Image, inserted: true, writeProtected: true } } }
  const taken = { status: 409, messages: [['Base.ResourceInUse']] }
  t.same(await refusal(() => POST(context({ params, tables, body: { Image } }))), taken)
})

t.test('there is no other drive', async (t) => {
  for (const other of [{ VirtualMediaId: '3' }, { ManagerId: '2' }]) {
    t.same(await refusal(() => POST(context({ params: { ...params, ...other }, body: { Image } }))), missing)
  }
})

t.test('it takes the privilege for virtual media', async (t) => {
  t.same(privileges, { POST: 'VirtualMediaPriv' })
})
