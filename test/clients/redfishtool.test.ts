import { readFileSync } from 'node:fs'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts, isInstalled } from '#test/host/hosts.ts'
import { password, start } from '#test/host/server.ts'
import { run } from './run.ts'

const tool = isInstalled('redfishtool') ? undefined : 'redfishtool: not here; install redfishtool'

/** Operations that read, and what they show. */
const reads = [
  ['versions', /"v1": "\/redfish\/v1\/"/],
  ['root', /"RedfishVersion"/],
  ['odata', /"value"/],
  ['metadata', /<edmx:Edmx/],
  ['Systems list', /"Id": "1"/],
  ['-C -R Latest Systems -1', /"SystemType": "Physical"/],
  ['Systems -M SystemType:Physical', /"Id": "1"/],
  ['Systems -I 1 Processors -a', /"ProcessorType"/],
  ['Systems -I 1 EthernetInterfaces list', /"Id": "2"/],
  ['Systems -I 1 Logs -i SystemLog', /"Entries"/],
  ['Chassis -a', /"enclosurechassis"/],
  ['Chassis -I 1 Power', /"PowerControl"/],
  ['Chassis -I 1 Thermal', /"ReadingCelsius"/],
  ['Chassis -I 1 Sensors', /^0 +\d+ +42 /m],
  ['Chassis -I 1 getPowerReading', /"PowerConsumedWatts"/],
  ['Managers list', /"Id": "1"/],
  ['Managers -I 1 NetworkProtocol', /"HTTPS"/],
  ['Managers -I 1 EthernetInterfaces -a', /"HostName"/],
  ['Managers -I 1 Logs list', /"Id": "EventLog"/],
  ['AccountService Accounts -a', /"UserName": "admin"/],
  ['AccountService Roles list', /"ReadOnly"/],
  ['SessionService Sessions list', /"Sessions"/]
] as const

/** Operations that change something, where the change shows, and what is to be seen there. */
const changes = [
  ['Systems -I 1 setAssetTag A-7', 'Systems/1/', { AssetTag: 'A-7' }],
  ['Systems -I 1 setIndicatorLed Lit', 'Systems/1/', { IndicatorLED: 'Lit' }],
  ['Chassis -I 1 setIndicatorLed Off', 'Chassis/1/', { IndicatorLED: 'Off' }],
  [
    'Chassis -I 1 setPowerLimit 400 LogEventOnly 5000',
    'Chassis/1/Power/',
    { PowerControl: [{ PowerLimit: { LimitInWatts: 400, LimitException: 'LogEventOnly', CorrectionInMs: 5000 } }] }
  ],
  ['Chassis -I 1 setPowerLimit null', 'Chassis/1/Controls/PowerLimit/', { ControlMode: 'Disabled', SetPoint: 400 }],
  [
    'Systems -I 1 setBootOverride Once Pxe',
    'Systems/1/',
    { Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Pxe' } }
  ],
  ['Systems -I 1 reset ForceOff', 'Systems/1/', { PowerState: 'Off' }],
  ['Systems -I 1 reset On', 'Systems/1/', { PowerState: 'On', Boot: { BootSourceOverrideEnabled: 'Disabled' } }],
  ['AccountService adduser ann Green-Door-4 ReadOnly', 'AccountService/Accounts/ann/', { RoleId: 'ReadOnly' }],
  ['AccountService setpassword ann Green-Door-5', 'AccountService/Accounts/ann/', { UserName: 'ann' }],
  ['AccountService useradmin ann setRoleId Operator', 'AccountService/Accounts/ann/', { RoleId: 'Operator' }],
  ['AccountService useradmin ann disable', 'AccountService/Accounts/ann/', { Enabled: false }],
  ['AccountService deleteuser ann', 'AccountService/Accounts/', { 'Members@odata.count': 1 }],
  ['SessionService setSessionTimeout 900', 'SessionService/', { SessionTimeout: 900 }],
  ['Managers -I 1 setTimeOffset offset=+01:00', 'Managers/1/', { DateTimeLocalOffset: '+01:00' }],
  ['Managers -I 1 reset ForceRestart', 'Managers/1/', { PowerState: 'On' }]
] as const

t.setTimeout(900_000)
// This client is slow; that both hosts answer alike is for test/host.
for (const host of hosts.slice(1, 2)) {
  needing(`redfishtool on ${host.name}`, host.missing ?? tool, async (t) => {
    const server = await start(t, host)
    const act = (...args: string[]) =>
      run('redfishtool', '-r', `127.0.0.1:${server.port}`, '-S', 'Always', '-u', 'admin', '-p', password, ...args)

    t.test('reads all that it knows', async (t) => {
      for (const [line, shown] of reads) {
        const { status, stdout, stderr } = await act(...line.split(' '))
        t.equal(status, 0, `${line}: ${stderr}`)
        t.match(stdout, shown, line)
      }
    })

    t.test('logs in for a session, and out of it', async (t) => {
      t.match((await act('-A', 'Session', 'Systems', '-1')).stdout, /"SystemType": "Physical"/)
      const sessions = () => server.get('/redfish/v1/SessionService/Sessions/')
      const { stdout } = await act('SessionService', 'login')
      const { SessionId } = JSON.parse(stdout)
      t.ok((await sessions()).text.includes(SessionId))
      t.equal((await act('SessionService', 'logout', '-i', SessionId)).status, 0)
      t.notOk((await sessions()).text.includes(`Sessions/${SessionId}`))
    })

    t.test('changes the server, its accounts and its controller', async (t) => {
      for (const [line, path, expected] of changes) {
        const { status, stderr } = await act(...line.split(' '))
        t.equal(status, 0, `${line}: ${stderr}`)
        const { json } = await server.until(
          () => server.get(`/redfish/v1/${path}`),
          ({ status, json }) => status === 200 && (json.PowerState?.length ?? 0) < 4
        )
        t.match(json, expected, line)
      }
    })

    t.test('fails only where the page on clients says so', async (t) => {
      const page = readFileSync('docs/clients.md', 'utf8')
      const lines = [...page.matchAll(/^\| redfishtool \| `([^`]+)` \|/gm)].map(([, line = '']) => line)
      t.ok(lines.length > 4, `${lines.length} lines`)
      for (const line of lines) {
        const { status, stdout, stderr } = await act(...line.split(' '))
        t.not(status, 0, `${line}: ${stdout}${stderr}`)
      }
    })
  })
}
