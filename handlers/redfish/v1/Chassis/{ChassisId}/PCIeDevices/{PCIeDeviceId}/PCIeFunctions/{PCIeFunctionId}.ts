import { deviceClasses, deviceClassOf, entry } from '#data/board'
import { networkAdapterUri } from '#data/network-adapters'
import { integer, reference, references, resource, status, text } from '#data/resource'
import { type Get, link, members, notFound, object } from '#runtime/contract'

export const schema = resource('PCIeFunction.v1_7_0', 'A function of a PCIe device', {
  ClassCode: text,
  DeviceClass: { type: 'string', enum: deviceClasses, nullable: true, readonly: true },
  DeviceId: text,
  FunctionId: integer,
  FunctionType: { type: 'string', enum: ['Physical'], nullable: true, readonly: true },
  Status: status,
  SubsystemId: text,
  SubsystemVendorId: text,
  VendorId: text,
  Links: object({ NetworkDeviceFunctions: references, PCIeDevice: reference })
})

export const privileges = { GET: 'LoginPriv' } as const

type Path = 'ChassisId' | 'PCIeDeviceId' | 'PCIeFunctionId'

export const GET: Get<typeof schema, Path> = ({ params, uri, machine }) => {
  const { ChassisId: chassis, PCIeDeviceId: device, PCIeFunctionId: id } = params
  const { functions, ports = {} } = entry(machine.chassis(chassis).pcieDevices, device) ?? notFound()
  const each = functions.find((_, number) => String(number) === id) ?? notFound()
  const mine = Object.keys(ports).filter((port) => String(ports[port]?.function) === id)
  return {
    Name: `Function ${id}`,
    ClassCode: each.classCode,
    DeviceClass: deviceClassOf(each),
    DeviceId: each.deviceId,
    FunctionId: Number(id),
    FunctionType: 'Physical',
    SubsystemId: each.subsystemId,
    SubsystemVendorId: each.subsystemVendorId,
    VendorId: each.vendorId,
    Links: {
      NetworkDeviceFunctions: members(`${networkAdapterUri(chassis, device)}/NetworkDeviceFunctions`, mine).Members,
      PCIeDevice: link(uri.slice(0, uri.lastIndexOf('/PCIeFunctions/')))
    }
  }
}
