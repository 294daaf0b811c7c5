import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { GET as getFunction } from '#handlers/redfish/v1/Chassis/{ChassisId}/NetworkAdapters/{NetworkAdapterId}/NetworkDeviceFunctions/{NetworkDeviceFunctionId}.ts'
import { GET as getFunctions } from '#handlers/redfish/v1/Chassis/{ChassisId}/NetworkAdapters/{NetworkAdapterId}/NetworkDeviceFunctions.ts'
import { GET as getPort } from '#handlers/redfish/v1/Chassis/{ChassisId}/NetworkAdapters/{NetworkAdapterId}/Ports/{PortId}.ts'
import { GET as getPorts } from '#handlers/redfish/v1/Chassis/{ChassisId}/NetworkAdapters/{NetworkAdapterId}/Ports.ts'
import {
  schema as adapter,
  GET as adapterGet
} from '#handlers/redfish/v1/Chassis/{ChassisId}/NetworkAdapters/{NetworkAdapterId}.ts'
import { GET as getAdapters, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/NetworkAdapters.ts'
import { GET as getChassis } from '#handlers/redfish/v1/Chassis/{ChassisId}.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const getAdapter = completed(adapter, adapterGet)

const uri = '/redfish/v1/Chassis/1/NetworkAdapters'
const chassis = { ChassisId: '1' }
const nic = { ...chassis, NetworkAdapterId: 'nic-1' }
const hba = { ...chassis, NetworkAdapterId: 'hba-1' }
const link = (path: string) => ({ '@odata.id': `${path}/` })

t.test('the cards of a chassis that have network ports are its network adapters', async (t) => {
  t.same(getAdapters(context({ uri, params: chassis })).Members, [link(`${uri}/nic-1`), link(`${uri}/hba-1`)])
  t.same(getChassis(context({ uri: '/redfish/v1/Chassis/1', params: chassis })).NetworkAdapters, link(uri))
})

t.test('a chassis without such cards has no network adapters, and links none', async (t) => {
  const params = { ChassisId: 'enclosurechassis' }
  t.same(await refusal(() => getAdapters(context({ params }))), missing)
  t.notOk('NetworkAdapters' in getChassis(context({ params })))
})

t.test('an adapter shows the card, its slot, its ports and its functions', async (t) => {
  const own = `${uri}/nic-1`
  t.match(getAdapter(context({ uri: own, params: nic })), {
    Manufacturer: 'Vendor',
    Model: 'NA225-OCP',
    PartNumber: 'P51181-B21',
    SerialNumber: 'CN24280NQ7',
    Location: { PartLocation: { ServiceLabel: 'OCP slot 1' } },
    Controllers: [
      {
        ControllerCapabilities: { NetworkDeviceFunctionCount: 2, NetworkPortCount: 2 },
        FirmwarePackageVersion: '22.41.1',
        PCIeInterface: { LanesInUse: 8, PCIeType: 'Gen4' },
        Links: {
          NetworkDeviceFunctions: [link(`${own}/NetworkDeviceFunctions/1`), link(`${own}/NetworkDeviceFunctions/2`)],
          PCIeDevices: [link('/redfish/v1/Chassis/1/PCIeDevices/nic-1')],
          Ports: [link(`${own}/Ports/1`), link(`${own}/Ports/2`)]
        }
      }
    ],
    NetworkDeviceFunctions: link(`${own}/NetworkDeviceFunctions`),
    Ports: link(`${own}/Ports`)
  })
  t.same(
    getPorts(context({ uri: `${own}/Ports`, params: nic })).Members,
    [1, 2].map((id) => link(`${own}/Ports/${id}`))
  )
  t.same(
    getFunctions(context({ uri: `${own}/NetworkDeviceFunctions`, params: nic })).Members,
    [1, 2].map((id) => link(`${own}/NetworkDeviceFunctions/${id}`))
  )
})

t.test('a port of Ethernet shows the link and the address of the interface of the host', async (t) => {
  t.match(getPort(context({ params: { ...nic, PortId: '1' } })), {
    CurrentSpeedGbps: 25,
    Ethernet: { AssociatedMACAddresses: ['8C:12:C2:0A:41:51'] },
    LinkNetworkTechnology: 'Ethernet',
    LinkStatus: 'LinkUp',
    MaxSpeedGbps: 25,
    PortProtocol: 'Ethernet',
    FibreChannel: undefined
  })
  t.match(getPort(context({ params: { ...nic, PortId: '2' } })), { CurrentSpeedGbps: null, LinkStatus: 'LinkDown' })
})

t.test('a port of Fibre Channel shows its link and its name', async (t) => {
  t.match(getPort(context({ params: { ...hba, PortId: '1' } })), {
    CurrentSpeedGbps: 32,
    FibreChannel: { AssociatedWorldWideNames: ['10:00:00:10:9B:0A:41:61'] },
    LinkNetworkTechnology: 'FibreChannel',
    LinkStatus: 'LinkUp',
    PortProtocol: 'FC',
    Ethernet: undefined
  })
})

t.test('a function shows its addresses and leads to its port, its interface and its PCIe function', async (t) => {
  t.match(getFunction(context({ params: { ...nic, NetworkDeviceFunctionId: '2' } })), {
    Ethernet: { MACAddress: '8C:12:C2:0A:41:52', PermanentMACAddress: '8C:12:C2:0A:41:52' },
    NetDevFuncType: 'Ethernet',
    Links: {
      EthernetInterfaces: [link('/redfish/v1/Systems/1/EthernetInterfaces/2')],
      PCIeFunction: link('/redfish/v1/Chassis/1/PCIeDevices/nic-1/PCIeFunctions/1'),
      PhysicalNetworkPortAssignment: link(`${uri}/nic-1/Ports/2`)
    }
  })
  t.match(getFunction(context({ params: { ...hba, NetworkDeviceFunctionId: '1' } })), {
    FibreChannel: { WWNN: '20:00:00:10:9B:0A:41:61', WWPN: '10:00:00:10:9B:0A:41:61' },
    NetDevFuncType: 'FibreChannel',
    Links: { EthernetInterfaces: undefined }
  })
})

t.test('one of many machines that are alike has addresses and numbers of its own', async (t) => {
  const individual = {
    numbers: { serviceTags: [], serialNumbers: [] },
    serviceTag: (own: string) => own,
    serialNumber: (own: string) => `${own}-7`,
    uuid: (own: string) => own,
    address: (own: string) => `${own.slice(0, -2)}FF`
  }
  const board = { ...(sim as Board), individual }
  t.match(getPort(context({ board, params: { ...hba, PortId: '1' } })).FibreChannel, {
    AssociatedWorldWideNames: ['10:00:00:10:9B:0A:41:FF']
  })
  t.equal(getAdapter(context({ board, params: nic })).SerialNumber, 'CN24280NQ7-7')
})

t.test('there is no other adapter, port or function', async (t) => {
  for (const id of ['raid-3', 'gpu-1', 'constructor'])
    t.same(await refusal(() => getAdapter(context({ params: { ...chassis, NetworkAdapterId: id } }))), missing, id)
  for (const id of ['3', '01', 'constructor']) {
    t.same(await refusal(() => getPort(context({ params: { ...nic, PortId: id } }))), missing, id)
    const params = { ...nic, NetworkDeviceFunctionId: id }
    t.same(await refusal(() => getFunction(context({ params }))), missing, id)
  }
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
