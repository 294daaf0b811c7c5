import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Managers/{ManagerId}/VirtualMedia/{VirtualMediaId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

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
      '#VirtualMedia.EjectMedia': { target: `${uri}/Actions/VirtualMedia.EjectMedia/` },
      '#VirtualMedia.InsertMedia': {
        target: `${uri}/Actions/VirtualMedia.InsertMedia/`,
        'TransferMethod@Redfish.AllowableValues': ['Upload'],
        'TransferProtocolType@Redfish.AllowableValues': ['HTTP', 'HTTPS']
      }
    },
    Oem: {
      Vendor: {
        Actions: {
          '#VendorMedia.EjectVirtualMedia': { target: `${uri}/Actions/Oem/Vendor/VendorMedia.EjectVirtualMedia/` },
          '#VendorMedia.InsertVirtualMedia': { target: `${uri}/Actions/Oem/Vendor/VendorMedia.InsertVirtualMedia/` }
        }
      }
    }
  })
})

t.test('a full one says what is in it', async (t) => {
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

t.test('an image in a file of the controller came over no protocol that has a name', async (t) => {
  const medium = { image: 'file:///srv/boot.iso', inserted: true, writeProtected: true }
  t.match(GET(context({ uri, params, tables: { virtualMedia: { '1/2': medium } } })), { TransferProtocolType: 'OEM' })
})

t.test('there is no other', async (t) => {
  for (const other of [{ VirtualMediaId: '3' }, { ManagerId: '2' }]) {
    t.same(await refusal(() => GET(context({ params: { ...params, ...other } }))), missing)
  }
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
