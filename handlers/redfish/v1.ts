import { accountPolicy } from '#data/accounts'
import { reference, resource, standardVendor, text } from '#data/resource'
import {
  identification,
  protocolFeatures,
  redfishVersion,
  supportedFeatures,
  vendorServiceRoot
} from '#data/service-root'
import { type Get, link, object } from '#runtime/contract'

export const schema = resource('ServiceRoot.v1_17_0', 'Where a client begins', ['Links'], {
  RedfishVersion: text,
  UUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
  Product: { type: 'string', nullable: true, readonly: true },
  [standardVendor]: { type: 'string', nullable: true, readonly: true },
  ProtocolFeaturesSupported: protocolFeatures,
  AccountService: reference,
  CertificateService: reference,
  Chassis: reference,
  ComponentIntegrity: reference,
  EventService: reference,
  JsonSchemas: reference,
  LicenseService: reference,
  Managers: reference,
  Registries: reference,
  SessionService: reference,
  Systems: reference,
  Tasks: reference,
  TelemetryService: reference,
  UpdateService: reference,
  Links: object(['Sessions'], { ComponentIntegrity: reference, Sessions: reference }),
  Oem: vendorServiceRoot
})

export const privileges = { GET: 'NoAuth' } as const

export const GET: Get<typeof schema> = (context) => {
  const { uri, machine, state, configuration, time } = context
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
    ProtocolFeaturesSupported: supportedFeatures(configuration.limits.expandLevels),
    AccountService: link(`${uri}/AccountService`),
    CertificateService: link(`${uri}/CertificateService`),
    Chassis: link(`${uri}/Chassis`),
    ComponentIntegrity: link(`${uri}/ComponentIntegrity`),
    EventService: link(`${uri}/EventService`),
    JsonSchemas: link(`${uri}/schemas`),
    LicenseService: link(`${uri}/LicenseService`),
    Managers: link(`${uri}/Managers`),
    Registries: link(`${uri}/Registries`),
    SessionService: link(`${uri}/SessionService`),
    Systems: link(`${uri}/Systems`),
    Tasks: link(`${uri}/TaskService`),
    TelemetryService: link(`${uri}/TelemetryService`),
    UpdateService: link(`${uri}/UpdateService`),
    Links: {
      ComponentIntegrity: link(`${uri}/ComponentIntegrity`),
      Sessions: link(`${uri}/SessionService/Sessions`)
    },
    Oem: { Vendor: identification(uri, context, lockoutDuration, time()) }
  }
}
