import t from 'tap'
import type { Board } from '#data/board'
import qemu from '#data/boards/qemu.json' with { type: 'json' }
import { GET as getInterface } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/NetworkInterfaces/{NetworkInterfaceId}.ts'
import { GET as getInterfaces } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/NetworkInterfaces.ts'
import { GET as getSystem } from '#handlers/redfish/v1/Systems/{ComputerSystemId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const system = '/redfish/v1/Systems/1'
const params = { ComputerSystemId: '1' }

t.test('a system has the network adapters of its chassis', async (t) => {
  const uri = `${system}/NetworkInterfaces`
  t.same(
    getInterfaces(context({ uri, params })).Members,
    ['nic-1', 'hba-1'].map((id) => ({ '@odata.id': `${uri}/${id}/` }))
  )
  t.same(getSystem(context({ uri: system, params })).NetworkInterfaces, { '@odata.id': `${uri}/` })
})

t.test('one leads to its adapter, ports and functions', async (t) => {
  const adapter = '/redfish/v1/Chassis/1/NetworkAdapters/nic-1'
  t.match(getInterface(context({ params: { ...params, NetworkInterfaceId: 'nic-1' } })), {
    NetworkDeviceFunctions: { '@odata.id': `${adapter}/NetworkDeviceFunctions/` },
    Ports: { '@odata.id': `${adapter}/Ports/` },
    Links: { NetworkAdapter: { '@odata.id': `${adapter}/` } }
  })
})

t.test('404 for a card without network ports, or an unknown one', async (t) => {
  for (const id of ['raid-3', 'constructor'])
    t.same(await refusal(() => getInterface(context({ params: { ...params, NetworkInterfaceId: id } }))), missing, id)
})

t.test('a machine without network adapters has none, and links none', async (t) => {
  const board = qemu as Board
  t.same(await refusal(() => getInterfaces(context({ board, params }))), missing)
  t.notOk('NetworkInterfaces' in getSystem(context({ board, params })))
})
