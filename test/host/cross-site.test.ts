import { onBothHosts } from './every-host.ts'
import { Connection, head, type RawResponse } from './raw.ts'
import { admin, type Json, type Server, start } from './server.ts'

const accounts = '/redfish/v1/AccountService/Accounts/'
const stream = '/redfish/v1/EventService/SSE'
const bios = '/redfish/v1/Systems/1/Bios/'
const account = JSON.stringify({ UserName: 'mallory', Password: 'Tin-Whistle-9', RoleId: 'Administrator' })

const credentials = `Authorization: ${admin.authorization}\r\n`

/** The answer to a request on a connection of its own. */
async function say(server: Server, method: string, path: string, fields: string, body = ''): Promise<RawResponse> {
  const connection = await Connection.open(server.port)
  connection.write(head(method, path, `Content-Length: ${body.length}\r\n${fields}`) + body)
  const answer = await connection.response()
  connection.close()
  if (answer === undefined) throw new Error(`no answer to ${method} ${path}`)
  return answer
}

const key = ({ body }: RawResponse): string => {
  const { error }: Json = JSON.parse(body.toString())
  return error['@Message.ExtendedInfo'][0].MessageId.replace(/\.[\d.]+\./, '.')
}

onBothHosts(async (t, host) => {
  const configuration = { origins: 'https://proxy.example', limits: { streams: 1 } }
  const server = await start(t, host, { configuration })

  t.test("a request from another site's page is 403, with or without credentials, and changes nothing", async (t) => {
    const set = await server.patch(`${bios}Settings/`, { Attributes: { ServerName: 'db7' } })
    t.equal(set.status, 200)
    const before = [await server.get(accounts), await server.get(`${bios}Settings/`)].map(({ text }) => text)
    for (const from of [
      'Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n',
      'Origin: null\r\n',
      'Origin: https://bmc:8443\r\nSec-Fetch-Site: same-site\r\n',
      'Sec-Fetch-Site: cross-site\r\n',
      'Referer: https://evil.example/\r\n'
    ]) {
      for (const [method, path, fields, body] of [
        ['POST', accounts, credentials, account],
        ['POST', accounts, '', account],
        ['POST', `${bios}Actions/Bios.ResetBios/`, credentials, ''],
        [
          'POST',
          `${bios}Actions/Bios.ResetBios/`,
          `${credentials}Content-Type: application/x-www-form-urlencoded\r\n`,
          ''
        ],
        [
          'POST',
          '/redfish/v1/UpdateService/update-multipart',
          `${credentials}Content-Type: multipart/form-data\r\n`,
          'x'
        ],
        ['DELETE', `${accounts}admin/`, credentials, ''],
        ['OPTIONS', '/redfish/v1/', '', ''],
        ['BREW', '/redfish/v1/', credentials, ''],
        ['GET', stream, credentials, ''],
        [
          'GET',
          '/redfish/v1/Systems/1/SerialConsole',
          `${credentials}Connection: Upgrade\r\nUpgrade: websocket\r\n`,
          ''
        ]
      ] as const) {
        const answer = await say(server, method, path, `${from}${fields}`, body)
        t.same([answer.status, key(answer)], [403, 'Mgmt.CrossSiteRequest'], `${method} ${path} ${from}`)
      }
    }
    const after = [await server.get(accounts), await server.get(`${bios}Settings/`)].map(({ text }) => text)
    t.same(after, before)
  })

  t.test('requests of the own page, through a reverse proxy, or by a program are served', async (t) => {
    for (const from of [
      '',
      'Origin: https://bmc\r\n',
      'Origin: https://proxy.example\r\n',
      'Sec-Fetch-Site: none\r\n'
    ]) {
      t.equal((await say(server, 'POST', `${bios}Actions/Bios.ResetBios/`, `${from}${credentials}`)).status, 200, from)
    }
    const elsewhere = `Origin: https://other:8443\r\n${credentials}`
    t.equal((await say(server, 'POST', `https://other:8443${bios}Actions/Bios.ResetBios/`, elsewhere)).status, 200)
    t.equal((await say(server, 'GET', '/redfish/v1/Systems/1/', `Origin: null\r\n${credentials}`)).status, 200)
  })

  t.test('a body without a type is JSON from a program, and not from a browser', async (t) => {
    const fromBrowser = await say(server, 'POST', accounts, `Origin: https://bmc\r\n${credentials}`, account)
    t.same([fromBrowser.status, key(fromBrowser)], [415, 'Mgmt.UnsupportedMediaType'])
    t.equal((await say(server, 'POST', accounts, credentials, account)).status, 201)
  })
})
