/** Resources as the service sends them: the types of the handlers' schemas. Nothing of a handler is in the page. */
import type { schema as account } from '#handlers/redfish/v1/AccountService/Accounts/{ManagerAccountId}.ts'
import type { schema as sensor } from '#handlers/redfish/v1/Chassis/{ChassisId}/Sensors/{SensorId}.ts'
import type { schema as thermal } from '#handlers/redfish/v1/Chassis/{ChassisId}/Thermal.ts'
import type { schema as chassis } from '#handlers/redfish/v1/Chassis/{ChassisId}.ts'
import type { schema as subscription } from '#handlers/redfish/v1/EventService/Subscriptions/{EventDestinationId}.ts'
import type { schema as license } from '#handlers/redfish/v1/LicenseService/Licenses/{LicenseId}.ts'
import type { schema as ethernetInterface } from '#handlers/redfish/v1/Managers/{ManagerId}/EthernetInterfaces/{EthernetInterfaceId}.ts'
import type { schema as media } from '#handlers/redfish/v1/Managers/{ManagerId}/VirtualMedia/{VirtualMediaId}.ts'
import type { schema as manager } from '#handlers/redfish/v1/Managers/{ManagerId}.ts'
import type { schema as session } from '#handlers/redfish/v1/SessionService/Sessions/{SessionId}.ts'
import type { schema as bios } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios.ts'
import type { schema as bootOption } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/BootOptions/{BootOptionId}.ts'
import type { schema as logEntry } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries/{LogEntryId}.ts'
import type { schema as logService } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}.ts'
import type { schema as certificate } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}/Certificates/{CertificateId}.ts'
import type { schema as signature } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}/Signatures/{SignatureId}.ts'
import type { schema as database } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}.ts'
import type { schema as secureBoot } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot.ts'
import type { schema as system } from '#handlers/redfish/v1/Systems/{ComputerSystemId}.ts'
import type { schema as task } from '#handlers/redfish/v1/TaskService/Tasks/{TaskId}.ts'
import type { schema as software } from '#handlers/redfish/v1/UpdateService/FirmwareInventory/{SoftwareInventoryId}.ts'
import type { schema as updateService } from '#handlers/redfish/v1/UpdateService.ts'
import type { Resource } from '#runtime/schema'

/** A resource with what the runtime adds to it. */
type Sent<S> = Resource<S> & Identified

interface Identified {
  readonly '@odata.id': string
  readonly '@odata.type': string
  readonly Id: string
  readonly Name: string
}

/** A collection that was asked for with `$expand`. */
export interface Expanded<T> {
  readonly '@odata.id': string
  readonly Members: readonly T[]
}

export type Account = Sent<typeof account>
export type Bios = Sent<typeof bios>
export type BootOption = Sent<typeof bootOption>
export type Certificate = Sent<typeof certificate>
export type Chassis = Sent<typeof chassis>
export type Database = Sent<typeof database>
export type Interface = Sent<typeof ethernetInterface>
export type License = Sent<typeof license>
export type LogService = Sent<typeof logService>
export type LogEntry = Sent<typeof logEntry>
export type Manager = Sent<typeof manager>
export type SecureBoot = Sent<typeof secureBoot>
export type Sensor = Sent<typeof sensor>
export type SessionResource = Sent<typeof session>
export type Signature = Sent<typeof signature>
export type Software = Sent<typeof software>
export type Subscription = Sent<typeof subscription>
export type System = Sent<typeof system>
export type Task = Sent<typeof task>
export type Thermal = Sent<typeof thermal>
export type UpdateService = Sent<typeof updateService>
export type VirtualMedia = Sent<typeof media>
