import type { Test } from 'tap'
import { describeFleet } from '#data/fleet'
import { loadBackends } from '#hal/backends.ts'
import { AddressSetting } from '#runtime/fleet/address-setting.ts'
import type { Controller } from '#runtime/fleet/controller.ts'
import { FaultSetting } from '#runtime/fleet/fault-setting.ts'
import { type Fleet, openFleet } from '#runtime/fleet/fleet.ts'
import { Finder, planReach } from '#runtime/fleet/plan.ts'
import { recordings } from '#runtime/recording/recordings.ts'
import { as, password, simulated } from '#test/runtime/service.ts'

export const log = '/redfish/v1/Managers/1/LogServices/EventLog/Entries/'

/** Changes faults and addresses of a fleet whose controllers listen in `places` only, which are texts. */
export function changing({ database, roster }: Fleet) {
  const places = new Set<string>()
  const addresses = new AddressSetting({
    ...{ database, finder: new Finder() },
    async listenAt(port, address) {
      const place = `${address}:${port}`
      if (places.has(place)) throw Object.assign(new Error(), { code: 'EADDRINUSE' })
      places.add(place)
      return { port, close: () => void places.delete(place) }
    },
    endConnections: () => undefined
  })
  addresses.onChanged((controller) => roster.changed(controller))
  return { setting: new FaultSetting(database, (controller) => roster.changed(controller)), addresses, places }
}

/** A fleet without a listener, whose clock is in the test's hand. */
export async function open(t: Test, directory: string, count = 3, settings: object = {}) {
  const { parts, simulation } = simulated(directory)
  const { configuration: _, board: __, ...host } = parts
  const groups = [{ count, network: '127.20.0.0/16' }]
  const description = describeFleet({
    data: directory,
    groups,
    configuration: { password: { iterations: 10 } },
    ...settings
  })
  const fleet = await openFleet({
    ...host,
    loadBackends,
    recordings: async () => recordings,
    description,
    reaches: planReach(description.groups),
    adminPassword: password
  })
  t.teardown(() => fleet.close())
  const ask = async (number: number, method: string, target: string, body?: object) => {
    const controller = fleet.roster.get(number) as Controller
    fleet.roster.asked(controller)
    const { handling } = await controller.open()
    const headers = { ...as('admin', password), ...(body && { 'content-type': 'application/json' }) }
    const bytes = body && new TextEncoder().encode(JSON.stringify(body))
    const answer = await handling.handle({
      method,
      target,
      headers,
      address: '127.0.0.1',
      ...(bytes && { body: bytes })
    })
    const text = new TextDecoder().decode(answer.body)
    return { status: answer.status, json: text.startsWith('{') ? JSON.parse(text) : undefined }
  }
  /** The last lines of a controller's own log. */
  const lines = async (number: number) => {
    const collect = '/redfish/v1/Managers/1/LogServices/EventLog/Actions/LogService.CollectDiagnosticData'
    t.equal((await ask(number, 'POST', collect, { DiagnosticDataType: 'Manager' })).status, 201)
    const entries = (await ask(number, 'GET', log)).json.Members
    const entry = entries.find((each: { AdditionalDataURI?: string }) => each.AdditionalDataURI !== undefined)
    const { ServiceLog } = (await ask(number, 'GET', entry.AdditionalDataURI)).json
    return ServiceLog.map((line: string) => JSON.parse(line)) as { controller?: number; message: string }[]
  }
  return { fleet, ask, lines, sleep: simulation.sleep }
}
