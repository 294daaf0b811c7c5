import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/VirtualMedia/{VirtualMediaId}/Actions/VirtualMedia.InsertMedia.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1', VirtualMediaId: '2' }
const Image = 'https://files.example/boot.iso'

/** The simulated machine, which sees what is in its optical drive. */
const board = structuredClone(sim) as unknown as Board
Object.assign(board.managers['1']!.virtualMedia['2']!, { media: { type: 'sim' } })

t.test('an image is put into the drive, which cannot be written', async (t) => {
  const { status, writes, events } = await POST(context({ params, body: { Image } }))
  t.equal(status, 200)
  const origin = '/redfish/v1/Managers/1/VirtualMedia/2'
  t.match(events, [{ origin, message: { key: 'MgmtEvents.VirtualMediaInserted', args: ['2', Image] } }])
  t.same(writes, {
    virtualMedia: { '1/2': { image: Image, inserted: true, writeProtected: true, verifyCertificate: false } }
  })
})

t.test('a client says whether it can be written, and whether it is there yet', async (t) => {
  const body = { Image, Inserted: false, WriteProtected: false }
  t.match((await POST(context({ params, body }))).writes, {
    virtualMedia: { '1/2': { inserted: false, writeProtected: false } }
  })
})

t.test('a URI with another scheme than http or https is 400, and a password in it is not repeated', async (t) => {
  const refused = (shown: string) => ({
    status: 400,
    messages: [['Base.ActionParameterValueFormatError', shown, 'Image', 'VirtualMedia.InsertMedia']]
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

t.test('user and password are sent to the server of the image, and not stored', async (t) => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  for (const [login, authorization] of [
    [{ UserName: 'ann', Password: 'grün:7' }, basic('ann:grün:7')],
    [{ UserName: 'ann' }, basic('ann:')]
  ] as const) {
    const { commands, writes, events } = await POST(context({ params, body: { Image, ...login }, board }))
    t.same(commands, [{ kind: 'insertMedia', drive: '1/2', authorization }])
    t.notMatch(JSON.stringify([writes, events]), /ann|grün/)
  }
  t.same(await refusal(() => POST(context({ params, body: { Image, Password: 'x' } }))), {
    status: 400,
    messages: [['Base.ActionParameterMissing', 'VirtualMedia.InsertMedia', 'UserName']]
  })
  t.match(await refusal(() => POST(context({ params, body: { Image, UserName: 'a:b' } }))), {
    messages: [['Base.ActionParameterValueFormatError', 'a:b', 'UserName', 'VirtualMedia.InsertMedia']]
  })
})

t.test('the protocol is in the URI, or said beside it, and not two at once', async (t) => {
  const inserted = async (body: { Image: string; TransferProtocolType: 'HTTP' | 'HTTPS' }) =>
    (await POST(context({ params, body }))).writes
  const TransferProtocolType = 'HTTPS'
  for (const image of [Image, Image.slice('https://'.length)]) {
    t.match(await inserted({ Image: image, TransferProtocolType }), { virtualMedia: { '1/2': { image: Image } } })
  }
  const body = { Image: 'http://files.example/boot.iso', TransferProtocolType } as const
  t.same(await refusal(() => POST(context({ params, body }))), {
    status: 400,
    messages: [['Base.ActionParameterValueError', 'TransferProtocolType', 'VirtualMedia.InsertMedia']]
  })
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

t.test('with a host, the medium is inserted once the host sees it', async (t) => {
  const body = { Image, VerifyCertificate: true }
  const { writes, commands, events } = await POST(context({ params, body, board }))
  t.same(writes, {
    virtualMedia: { '1/2': { image: Image, inserted: false, writeProtected: true, verifyCertificate: true } }
  })
  t.same(commands, [{ kind: 'insertMedia', drive: '1/2' }])
  t.match(events, [{ message: { key: 'MgmtEvents.VirtualMediaInserted' } }])
})

t.test('such a drive is read-only, filled at once, and only from allowed sources', async (t) => {
  const refused = (body: { Image: string; Inserted?: boolean; WriteProtected?: boolean }, hosts = '') =>
    refusal(() => POST(context({ params, body, board, configuration: { media: { ...configuration.media, hosts } } })))
  for (const parameter of ['Inserted', 'WriteProtected']) {
    t.same(await refused({ Image, [parameter]: false }), {
      status: 400,
      messages: [['Base.ActionParameterValueNotInList', 'false', parameter, 'VirtualMedia.InsertMedia']]
    })
  }
  const elsewhere = {
    status: 400,
    messages: [['Mgmt.MediaNotInserted', 'the configuration does not allow its source']]
  }
  t.same(await refused({ Image }, 'other.example'), elsewhere)
  t.same(await refused({ Image: 'file:///etc/passwd' }), elsewhere)
  t.match(await refused({ Image: 'http://files.example/boot.iso' }), {
    messages: [['Base.ActionParameterValueFormatError']]
  })
})
