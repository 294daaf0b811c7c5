import t from 'tap'
import { configuration } from '#data/configuration'
import { POST } from '#handlers/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate.ts'
import { context, refusal } from '#test/handlers/context.ts'

const begin = (body: Parameters<typeof POST>[0]['body'], hosts = '') =>
  POST(context({ body, configuration: { media: { ...configuration.media, hosts } } }))

t.test('a file is fetched, with its user and password', async (t) => {
  for (const [body, source] of [
    [{ ImageURI: 'https://files.example/bios.bin' }, 'https://files.example/bios.bin'],
    [{ ImageURI: 'files.example/bios.bin', TransferProtocol: 'HTTPS' }, 'https://files.example/bios.bin'],
    [{ ImageURI: 'https://files.example/x', TransferProtocol: 'HTTPS' }, 'https://files.example/x']
  ] as const) {
    const { writes, commands } = await begin({ ...body, Username: 'ann', Password: 'secret' })
    t.match(Object.values(writes?.update ?? {}), [{ source, stage: 'Fetching' }])
    t.match(commands, [{ kind: 'fetchUpdate', authorization: `Basic ${btoa('ann:secret')}` }])
  }
})

t.test('a source that is no URL of https, or not allowed, is refused without its password', async (t) => {
  const long = `ftp://${'x'.repeat(80)}`
  for (const [ImageURI, shown] of [
    ['http://files.example/bios.bin', 'http://files.example/bios.bin'],
    ['files.example/bios.bin', 'files.example/bios.bin'],
    ['file:///etc/passwd', 'file:///etc/passwd'],
    ['https://ann:secret@files.example/', '******'],
    [long, long.slice(0, 64)]
  ] as const) {
    t.same(await refusal(() => begin({ ImageURI })), {
      status: 400,
      messages: [['Base.ActionParameterValueFormatError', shown, 'ImageURI', 'UpdateService.SimpleUpdate']]
    })
  }
  t.same(await refusal(() => begin({ ImageURI: 'https://files.example/x' }, 'other.example')), {
    status: 400,
    messages: [['Mgmt.UpdateFileRefused', 'the configuration does not allow its source']]
  })
})
