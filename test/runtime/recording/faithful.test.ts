import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { loadBackends } from '#hal/backends.ts'
import { recordings } from '#runtime/recording/recordings.ts'
import { trial } from '#runtime/recording/trial.ts'
import { simulated } from '#test/runtime/service.ts'
import { server } from './machines.ts'
import { writeResources } from './mockups.ts'
import { recorded } from './recorded.ts'
import { serve, until } from './served.ts'

const recordedServer = (t: Test) => serve(t, recorded(writeResources(t.testdir(), server)).file)

t.test('each recorded resource is served at its path, also in place of a file of the service', async (t) => {
  const { ask } = await recordedServer(t)
  for (const path of Object.keys(server)) {
    const { status, json } = await ask('GET', path)
    t.equal(status, 200, path)
    if (!/SchemaStore|RegistryStore|Registries\/|odata/.test(path)) continue
    const { '@odata.etag': _, ...body } = json
    t.strictSame(body, server[path])
  }
  t.equal((await ask('GET', '/redfish/v1/odata', undefined, { authorization: '' })).status, 200)
  t.equal((await ask('GET', '/redfish/v1/ResourceDirectory', undefined, { authorization: '' })).status, 401)
})

t.test('registries and schemas that were not recorded are those of the service', async (t) => {
  const { ask } = await recordedServer(t)
  const { json } = await ask('GET', '/redfish/v1/Registries')
  const own = json.Members.find((each: Record<string, string>) => each['@odata.id']?.includes('MgmtEvents'))
  const [{ Uri }] = (await ask('GET', own['@odata.id'])).json.Location
  t.equal((await ask('GET', Uri)).status, 200)
})

t.test(
  'boot options of one device path, or of none, are as many as were recorded, before and after a boot',
  async (t) => {
    const { ask } = await recordedServer(t)
    const system = '/redfish/v1/Systems/1'
    const names = async () => {
      const { Members } = (await ask('GET', `${system}/BootOptions`)).json
      const options = Members.map((each: Record<string, string>) => ask('GET', each['@odata.id'] ?? ''))
      return (await Promise.all(options)).map(({ json }) => json.DisplayName)
    }
    const all = ['Linux', 'Linux (old kernel)', 'Shell', 'Setup', 'Setup again']
    t.strictSame(await names(), all)
    const order = ['Boot0002', 'Boot0001', 'Boot0003', 'Boot0004']
    const { Boot } = (await ask('GET', system)).json
    t.strictSame(Boot['UefiTargetBootSourceOverride@Redfish.AllowableValues'].length, 2)
    t.equal((await ask('PATCH', system, { Boot: { BootOrder: order } })).status, 200)
    for (const state of ['On', 'Off', 'On']) {
      const reset = { ResetType: state === 'On' ? 'On' : 'ForceOff' }
      t.equal((await ask('POST', `${system}/Actions/ComputerSystem.Reset`, reset)).status, 200)
      await until(async () => (await ask('GET', system)).json.PowerState === state)
      t.strictSame((await ask('GET', system)).json.Boot.BootOrder, order)
      t.strictSame(await names(), all)
    }
  }
)

t.test('the trial names each resource that does not answer, and what comes instead', async (t) => {
  const folder = t.testdir()
  const file = `${folder}/board.json`
  writeFileSync(file, JSON.stringify(recorded(writeResources(`${folder}/mockup`, server)).file))
  const host = { ...simulated(folder).parts, loadBackends, recordings: async () => recordings }
  const resources = new Map(Object.entries({ ...server, '/redfish/v1/Gone': {} }))
  const said: string[] = []
  await trial(file, resources, host, (line) => said.push(line))
  t.strictSame(said.length, 1, said.join())
  t.match(said[0], /^\/redfish\/v1\/Gone: status 404: Base\.[\d.]+\.ResourceMissingAtURI$/)
})
