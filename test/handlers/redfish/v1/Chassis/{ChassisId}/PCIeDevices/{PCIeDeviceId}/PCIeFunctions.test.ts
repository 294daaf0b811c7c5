import t from 'tap'
import { GET as getFunction } from '#handlers/redfish/v1/Chassis/{ChassisId}/PCIeDevices/{PCIeDeviceId}/PCIeFunctions/{PCIeFunctionId}.ts'
import { GET as getFunctions } from '#handlers/redfish/v1/Chassis/{ChassisId}/PCIeDevices/{PCIeDeviceId}/PCIeFunctions.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Chassis/1/PCIeDevices/nic-1/PCIeFunctions'
const nic = { ChassisId: '1', PCIeDeviceId: 'nic-1' }
const show = (PCIeDeviceId: string, PCIeFunctionId: string) =>
  getFunction(context({ uri: `${uri}/${PCIeFunctionId}`, params: { ...nic, PCIeDeviceId, PCIeFunctionId } }))

t.test('a device lists its functions by their numbers', async (t) => {
  t.same(
    getFunctions(context({ uri, params: nic })).Members,
    [0, 1].map((id) => ({ '@odata.id': `${uri}/${id}/` }))
  )
})

t.test('a function shows its class and its ids, and leads to the network function that it is', async (t) => {
  t.match(show('nic-1', '1'), {
    ClassCode: '0x020000',
    DeviceClass: 'NetworkController',
    DeviceId: '0x0225',
    FunctionId: 1,
    FunctionType: 'Physical',
    VendorId: '0x1234',
    Links: {
      NetworkDeviceFunctions: [
        { '@odata.id': '/redfish/v1/Chassis/1/NetworkAdapters/nic-1/NetworkDeviceFunctions/2/' }
      ],
      PCIeDevice: { '@odata.id': '/redfish/v1/Chassis/1/PCIeDevices/nic-1/' }
    }
  })
  t.equal(show('hba-1', '0').DeviceClass, 'SerialBusController')
  t.match(show('raid-3', '0'), { DeviceClass: 'MassStorageController', Links: { NetworkDeviceFunctions: [] } })
})

t.test('there is no other device or function', async (t) => {
  for (const id of ['2', '00', '-1', 'length', '']) t.same(await refusal(() => show('nic-1', id)), missing, id)
  t.same(await refusal(() => show('constructor', '0')), missing)
  const params = { ...nic, PCIeDeviceId: 'gpu-1' }
  t.same(await refusal(() => getFunctions(context({ params }))), missing)
})
