import { createHash } from 'node:crypto'
import { policy } from '#test/openbmc/board.ts'
import { servedMachine } from '#test/openbmc/machine.ts'
import { missingPam } from '#test/openbmc/pam.ts'
import { Subscriber } from '#test/runtime/service/events/subscriber.ts'
import { makeSigner } from './certificates.ts'
import { needing, onBothHosts } from './every-host.ts'
import { push } from './push.ts'
import type { Json } from './server.ts'

const v1 = '/redfish/v1/'
const system = `${v1}Systems/system/`
const manager = `${v1}Managers/bmc/`
const entries = `${system}LogServices/EventLog/Entries/`
const firmware = `${v1}UpdateService/FirmwareInventory/`
const accounts = `${v1}AccountService/Accounts/`

const missing = missingPam()

onBothHosts(async (t, host) => {
  if (missing !== undefined) return needing('the session of a client', missing, async () => {})
  await t.test('a client works with OpenBMC from its login to its logout', async (t) => {
    const { daemons, server } = await servedMachine(t, host, policy())
    const { token, location } = await server.login()
    const get = async (uri: string) => {
      const { status, json } = await server.get(uri, token)
      t.equal(status, 200, uri)
      return json
    }
    const accepted = async (answer: Promise<{ status: number; text: string }>) => {
      const { status, text } = await answer
      t.ok(status >= 200 && status < 300, text)
    }
    const until = async (uri: string, expected: (json: Json) => boolean) =>
      (
        await server.until(
          () => server.get(uri, token),
          ({ status, json }) => status < 300 && expected(json)
        )
      ).json
    const members = async (uri: string): Promise<Json[]> => (await get(`${uri}?$expand=.`)).Members

    // The machine: its parts and its sensors.
    t.same(
      (await members(`${v1}Systems/`)).map(({ Id, PowerState }) => [Id, PowerState]),
      [['system', 'On']]
    )
    const { Links } = await get(system)
    t.same(Links.ManagedBy, [{ '@odata.id': manager }])
    const chassis = Links.Chassis[0]['@odata.id']
    t.equal((await members(`${system}Processors/`)).length, 2)
    t.equal((await members(`${system}Memory/`)).length, 16)
    const sensors = await members(`${chassis}Sensors/`)
    const inlet = sensors.find(({ Name }) => Name === 'Inlet')
    t.match(inlet, { Reading: 24, ReadingUnits: 'Cel', Thresholds: { UpperCaution: { Reading: 38 } } })

    // A subscription tells all that follows.
    const { certificate: cert, key } = makeSigner(t, {
      subject: '/CN=subscriber',
      extensions: ['subjectAltName=IP:127.0.0.1']
    })
    const subscriber = await Subscriber.open(t, { cert, key })
    const subscription = await server.post(
      `${v1}EventService/Subscriptions/`,
      { Destination: subscriber.uri, Oem: { Vendor: { RequestedMaxEventsToQueue: 100 } } },
      token
    )
    t.equal(subscription.status, 201, subscription.text)
    const told: Json[] = []
    const tells = async (end: string, args: readonly string[] = []) => {
      const isIt = ({ MessageId, MessageArgs }: Json) =>
        MessageId.endsWith(`.${end}`) && args.every((each, at) => MessageArgs[at] === each)
      while (!told.some(isIt)) told.push(...(await subscriber.next()).json.Events)
      told.splice(0, told.findIndex(isIt) + 1)
    }

    // A power cycle, with another source and another setting for this boot.
    const override = { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Pxe' }
    await accepted(server.patch(system, { Boot: override }, token))
    t.match((await get(system)).Boot, override)
    await accepted(server.patch(`${system}Bios/Settings/`, { Attributes: { DebugLevel: 3 } }, token))
    t.match((await get(`${system}Bios/`)).Attributes, { DebugLevel: 1 })
    await accepted(server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'GracefulRestart' }, token))
    await tells('PowerStateChanged', ['Off'])
    await tells('PowerStateChanged', ['On'])
    await until(`${system}Bios/`, ({ Attributes }) => Attributes.DebugLevel === 3)
    await until(system, ({ Boot }) => Boot.BootSourceOverrideEnabled === 'Disabled')
    t.equal((await get(system)).PowerState, 'On')

    // The log: a daemon finds a fault, and the client takes note of it.
    await daemons.add('Logging', '/xyz/openbmc_project/logging/entry/7', {
      'Logging.Entry': { Id: 7, Timestamp: 7000, Severity: 'Error', Message: 'Fan 1 failed.' },
      'Object.Delete': {}
    })
    await tells('LogErrorAdded', ['Fan 1 failed.'])
    t.match(await get(`${entries}7/`), { Severity: 'Critical', Resolved: false })
    await accepted(server.patch(`${entries}7/`, { Resolved: true }, token))
    await accepted(server.post(`${system}LogServices/EventLog/Actions/LogService.ClearLog/`, {}, token))
    t.same(await members(entries), [])

    // An operator with an account of the machine, who may not make another.
    const ann = { UserName: 'ann', Password: 'Long-Street-8', RoleId: 'Operator' }
    t.equal((await server.post(accounts, ann, token)).status, 201)
    const operator = await server.login('ann', 'Long-Street-8')
    t.equal((await server.post(accounts, { ...ann, UserName: 'ben' }, operator.token)).status, 403)
    await accepted(server.delete(operator.location, operator.token))

    // Firmware of the controller, for its next start.
    const image = new TextEncoder().encode('an image')
    const version = createHash('sha256').update(image).digest('hex').slice(0, 12)
    const pushed = await push(server, { '@Redfish.OperationApplyTime': 'OnReset' }, image, token)
    t.equal(pushed.status, 202, pushed.text)
    await until(String(pushed.headers.location), ({ TaskState }) => TaskState === 'Pending')
    t.match(await get(`${firmware}Manager-bmc-B/`), { Version: version, Staged: true, Active: false })
    t.match(await get(manager), { FirmwareVersion: '2.14.0' })

    await accepted(server.delete(String(subscription.headers.location), token))
    await accepted(server.delete(location, token))
    t.equal((await server.get(system, token)).status, 401)
  })
})
