import { setTimeout } from 'node:timers/promises'
import type { Running } from './builds.ts'

export interface Answer {
  readonly request: string
  readonly status: number
  readonly body: unknown
}

const root = '/redfish/v1'
const system = `${root}/Systems/1/`
const media = `${root}/Managers/1/VirtualMedia/2/`
const log = `${root}/Managers/1/LogServices/EventLog/`
const db = `${system}SecureBoot/SecureBootDatabases/db/`
const hash = 'AB'.repeat(32)

/**
 * A session of a client from login to logout: it subscribes, sets, boots, inserts, updates, measures and reads the
 * results.
 *
 * @returns all answers in order, without the values of one service: ids, times, tags, addresses, the maker's `Oem`
 */
export async function session(service: Running): Promise<Answer[]> {
  const answers: Answer[] = []
  const headers: Record<string, string> = {}
  const ids: string[] = []
  const known = (text: string) => ids.reduce((all, id, index) => all.replaceAll(id, `<${index}>`), text)
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await service.ask(method, path, body, headers)
    const { location } = answer.headers
    if (location !== undefined) ids.push(location.split('/').at(-2)!)
    const still = JSON.parse(known(answer.text) || 'null', (name, value) => (moves.test(name) ? undefined : value))
    const request = known(`${method} ${path} ${body ? JSON.stringify(body) : ''}`)
    answers.push({ request, status: answer.status, body: still })
    return answer
  }
  const until = async (path: string, isSo: (body: { readonly [name: string]: unknown }) => boolean) => {
    for (let tries = 0; !isSo(JSON.parse((await ask('GET', path)).text)); tries++) {
      if (tries > 1200) throw new Error(`${path} is never as expected`)
      answers.pop()
      await setTimeout(50)
    }
  }
  const reset = async (ResetType: string, state: string) => {
    await ask('POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType })
    await until(system, ({ PowerState }) => PowerState === state)
  }

  const login = { UserName: 'admin', Password: 'correct horse' }
  const { headers: made } = await ask('POST', `${root}/SessionService/Sessions/`, login)
  headers['x-auth-token'] = made['x-auth-token']!
  await ask('GET', `${root}/SessionService/Sessions/`)
  const wanted = { Destination: 'https://127.0.0.1:9/', Protocol: 'Redfish', Context: 'mine' }
  const subscription = (await ask('POST', `${root}/EventService/Subscriptions/`, wanted)).headers.location!
  await ask('POST', `${root}/EventService/Subscriptions/`, { ...wanted, Destination: 'nowhere' })
  await ask('GET', subscription)

  await reset('ForceOff', 'Off')
  await ask('POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceOff' })
  await ask('PATCH', system, { AssetTag: 'rack 7', LocationIndicatorActive: true })
  await ask('PATCH', system, { Model: 'another one' })
  await ask('PATCH', system, { Boot: { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' } })
  await ask('PATCH', system, { Boot: { BootSourceOverrideTarget: 'Moon' } })
  const { Boot } = JSON.parse((await ask('GET', system)).text)
  await ask('PATCH', system, { Boot: { BootOrder: Boot.BootOrder.toReversed() } })
  await ask('PATCH', system, { Boot: { BootOrder: ['Boot0001'] } })
  await ask('GET', `${system}BootOptions/`)
  await ask('PATCH', `${system}Bios/Settings/`, { Attributes: { ServerOwner: 'Erika', NoSuchSetting: 1 } })
  await ask('GET', `${system}Bios/Settings/`)
  await ask('POST', `${system}SecureBoot/Actions/SecureBoot.ResetKeys/`, { ResetKeysType: 'ResetAllKeysToDefault' })
  await ask('PATCH', `${system}SecureBoot/`, { SecureBootEnable: true })
  const key = { SignatureString: hash, SignatureType: 'EFI_CERT_SHA256_GUID', SignatureTypeRegistry: 'UEFI' }
  const signature = (await ask('POST', `${db}Signatures/`, key)).headers.location!
  await ask('POST', `${db}Signatures/`, key)
  await ask('GET', signature)
  await ask('GET', `${db}Certificates/`)

  await ask('POST', `${media}Actions/VirtualMedia.InsertMedia/`, { Image: 'https://127.0.0.1:9/boot.iso' })
  await ask('POST', `${media}Actions/VirtualMedia.InsertMedia/`, {})
  await ask('GET', media)
  await reset('On', 'On')
  await until(`${system}Bios/`, (bios) => JSON.stringify(bios).includes('Erika'))
  await ask('GET', `${system}SecureBoot/`)
  await ask('DELETE', signature)
  await ask('GET', `${db}Signatures/`)
  await ask('POST', `${media}Actions/VirtualMedia.EjectMedia/`)
  await reset('ForceRestart', 'On')

  const update = { ImageURI: 'https://127.0.0.1:9/bios.update', TransferProtocol: 'HTTPS' }
  const simple = `${root}/UpdateService/Actions/UpdateService.SimpleUpdate/`
  await ask('POST', simple, { ...update, ImageURI: 'bios.update' })
  const task = (await service.ask('POST', simple, update, headers)).headers.location!
  ids.push(task.split('/').at(-2)!)
  await until(task, ({ TaskState }) => TaskState === 'Exception')
  const report = { MetricReportDefinitionType: 'OnRequest', Id: 'mine', Metrics: [] }
  const definition = (await ask('POST', `${root}/TelemetryService/MetricReportDefinitions/`, report)).headers.location!
  await ask('GET', definition)
  await ask('DELETE', definition)
  const account = { UserName: 'operator', Password: 'battery staple', RoleId: 'Operator' }
  const { location } = (await ask('POST', `${root}/AccountService/Accounts/`, account)).headers
  await ask('PATCH', location!, { Enabled: false })
  await ask('DELETE', location!)

  await ask('GET', `${log}Entries/`)
  await ask('POST', `${log}Actions/LogService.ClearLog/`)
  await ask('GET', `${log}Entries/`)
  await ask('GET', `${root}/Systems?$expand=.`)
  await ask('GET', `${system}?$select=Id,Name`)
  for (const method of ['PUT', 'POST', 'DELETE']) await ask(method, system, {})
  await ask('PATCH', `${root}/Systems/`, {})
  await ask('GET', `${root}/Systems/2/`)
  await ask('DELETE', subscription)
  await ask('GET', subscription)
  await ask('DELETE', made.location!)
  await ask('GET', system)
  return answers
}

const moves =
  /^(Oem|ETag|@odata\.etag|.*UUID|.*Time|UserExpires|Created|EventId|MACAddress|UefiTargetBootSourceOverride@.*)$/
