import { accountPolicy } from '#data/accounts'
import { child, reference, resource, standardVendor, text } from '#data/resource'
import { identification, protocolFeatures, redfishVersion, services, vendorServiceRoot } from '#data/service-root'
import { constant, type Get, link, object } from '#runtime/contract'

export const schema = resource('ServiceRoot.v1_17_0', 'Where a client begins', ['Links'], {
  RedfishVersion: text,
  UUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
  Product: { type: 'string', nullable: true, readonly: true },
  [standardVendor]: { type: 'string', nullable: true, readonly: true },
  ProtocolFeaturesSupported: protocolFeatures,
  ...services,
  Cables: reference,
  Links: constant(
    object({ ComponentIntegrity: child('ComponentIntegrity'), Sessions: child('SessionService/Sessions') }),
    {}
  ),
  Oem: vendorServiceRoot
})

export const privileges = { GET: 'NoAuth' } as const

export const GET: Get<typeof schema> = (context) => {
  const { machine, state, configuration, time } = context
  const systems = Object.values(machine.board.systems)
  const managers = Object.values(machine.board.managers)
  const { lockoutDuration } = accountPolicy(state.get('accountService', 'settings'), configuration)
  return {
    Id: 'RootService',
    Name: 'Root service',
    RedfishVersion: redfishVersion,
    UUID: managers[0]?.serviceEntryPointUuid ?? null,
    Product: systems[0]?.model ?? null,
    [standardVendor]: systems[0]?.manufacturer ?? null,
    ProtocolFeaturesSupported: { ExpandQuery: { MaxLevels: configuration.limits.expandLevels } },
    ...(machine.board.cables && { Cables: link('/redfish/v1/Cables') }),
    Oem: { Vendor: identification(context, lockoutDuration, time()) }
  }
}
