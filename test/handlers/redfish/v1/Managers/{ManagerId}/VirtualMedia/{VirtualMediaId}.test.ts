import t from 'tap'
import { GET as stream } from '#handlers/redfish/v1/Managers/{ManagerId}/VirtualMedia/{VirtualMediaId}/Stream.ts'
import {
  GET as get,
  PATCH,
  privileges,
  schema
} from '#handlers/redfish/v1/Managers/{ManagerId}/VirtualMedia/{VirtualMediaId}.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const uri = '/redfish/v1/Managers/1/VirtualMedia/2'
const params = { ManagerId: '1', VirtualMediaId: '2' }

t.test('an empty drive says so, and offers to be filled in both ways', async (t) => {
  t.match(GET(context({ uri, params })), {
    ConnectedVia: 'NotConnected',
    Image: null,
    ImageName: null,
    Inserted: false,
    MediaTypes: ['CD', 'DVD'],
    Actions: {
      '#VirtualMedia.EjectMedia': {},
      '#VirtualMedia.InsertMedia': {
        'TransferMethod@Redfish.AllowableValues': ['Stream', 'Upload'],
        'TransferProtocolType@Redfish.AllowableValues': ['HTTP', 'HTTPS']
      }
    },
    Oem: {
      Vendor: {
        Actions: {
          '#VendorMedia.EjectVirtualMedia': {},
          '#VendorMedia.InsertVirtualMedia': {
            '@Redfish.ActionInfo': '/redfish/v1/ActionInfo/VendorMedia.InsertVirtualMedia/'
          }
        }
      }
    }
  })
})

t.test('a drive with a medium shows the medium', async (t) => {
  const medium = { image: 'https://files.example/a/boot.iso?x=/y', inserted: true, writeProtected: false }
  t.match(GET(context({ uri, params, tables: { virtualMedia: { '1/2': medium } } })), {
    ConnectedVia: 'URI',
    Image: 'https://files.example/a/boot.iso?x=/y',
    ImageName: 'boot.iso',
    Inserted: true,
    TransferMethod: 'Upload',
    TransferProtocolType: 'HTTPS',
    WriteProtected: false
  })
})

t.test('an image in a file of the controller has no transfer protocol', async (t) => {
  const medium = { image: 'file:///srv/boot.iso', inserted: true, writeProtected: true }
  t.match(GET(context({ uri, params, tables: { virtualMedia: { '1/2': medium } } })), { TransferProtocolType: 'OEM' })
})

t.test('a file of a client has a name and no URI', async (t) => {
  const client = { name: 'a/b.iso', size: 2048, account: '1' }
  const medium = { image: '', inserted: true, writeProtected: true, client }
  t.match(GET(context({ uri, params, tables: { virtualMedia: { '1/2': medium } } })), {
    ConnectedVia: 'Applet',
    Image: null,
    ImageName: 'a/b.iso',
    TransferMethod: 'Stream',
    TransferProtocolType: 'OEM'
  })
})

t.test('a drive that a host sees takes a file of a client, and no other one does', async (t) => {
  const seen = { uri: '/redfish/v1/Managers/1/VirtualMedia/1', params: { ...params, VirtualMediaId: '1' } }
  t.equal(GET(context(seen)).Oem?.Vendor?.StreamURI, `${seen.uri}/Stream`)
  t.equal(GET(context({ uri, params })).Oem?.Vendor?.StreamURI, undefined)
  t.same(stream(context(seen)), { drive: '1/1' })
  t.match(await refusal(() => stream(context({ params }))), missing)
})

t.test('there is no other', async (t) => {
  for (const other of [{ VirtualMediaId: '3' }, { ManagerId: '2' }]) {
    t.same(await refusal(() => GET(context({ params: { ...params, ...other } }))), missing)
  }
})

const image = 'https://files.example/boot.iso'
const full = { virtualMedia: { '1/2': { image, inserted: true, writeProtected: true, verifyCertificate: false } } }
const patch = (body: Parameters<typeof PATCH>[0]['body'], tables: object = {}) =>
  PATCH(context({ uri, params, tables, body }))

t.test('an image is inserted and ejected by its property', async (t) => {
  t.match(await patch({ Image: image, Inserted: true }), {
    writes: { virtualMedia: { '1/2': { image, inserted: true } } },
    events: [{ message: { key: 'MgmtEvents.VirtualMediaInserted' } }]
  })
  for (const body of [{ Image: null }, { Inserted: false }, { Image: null, Inserted: false }]) {
    t.match(await patch(body, full), {
      writes: { virtualMedia: { '1/2': null } },
      events: [{ message: { key: 'MgmtEvents.VirtualMediaEjected' } }]
    })
    t.same((await patch(body)).writes, {}, 'an empty drive stays so')
  }
  t.same((await patch({ Image: image, Inserted: true }, full)).writes?.virtualMedia?.['1/2'], { inserted: true })
  const other = { Image: 'https://files.example/other.iso' }
  t.same(await refusal(() => patch(other, full)), { status: 409, messages: [['Base.ResourceInUse']] })
  t.match(await refusal(() => patch({ Inserted: true })), { status: 409 })
  t.same(await refusal(() => patch({ Image: null, Inserted: true }, full)), {
    status: 400,
    messages: [['Base.PropertyValueConflict', 'Inserted', 'Image']]
  })
  t.same(await refusal(() => patch({ Image: 'boot.iso' })), {
    status: 400,
    messages: [['Base.PropertyValueFormatError', 'boot.iso', 'Image']]
  })
})

t.test('the host boots from it once, or as it did', async (t) => {
  const boot = (BootOnNextServerReset: boolean, tables = {}) =>
    patch({ Oem: { Vendor: { BootOnNextServerReset } } }, tables)
  const once = { system: { 1: { bootOverrideEnabled: 'Once', bootOverrideTarget: 'Cd' } } }
  t.same((await boot(true)).writes, once)
  t.equal(GET(context({ uri, params, tables: once as object })).Oem?.Vendor?.BootOnNextServerReset, true)
  t.same((await boot(false, once)).writes, {
    system: { 1: { bootOverrideEnabled: 'Disabled', bootOverrideTarget: 'None' } }
  })
  t.same((await boot(false, { system: { 1: { bootOverrideEnabled: 'Once', bootOverrideTarget: 'Pxe' } } })).writes, {})
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'VirtualMediaPriv' })
})
