/** Resources as the service sends them: the types of the handlers' schemas. Nothing of a handler is in the page. */
import type { schema as account } from '#handlers/redfish/v1/AccountService/Accounts/{ManagerAccountId}.ts'
import type { schema as sensorHistory } from '#handlers/redfish/v1/Chassis/{ChassisId}/EnvironmentMetrics/SensorHistory.ts'
import type { schema as environmentMetrics } from '#handlers/redfish/v1/Chassis/{ChassisId}/EnvironmentMetrics.ts'
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
import type { Infer } from '#runtime/schema'

/** A collection that was asked for with `$expand`. */
export interface Expanded<T> {
  readonly '@odata.id': string
  readonly Members: readonly T[]
}

export type Account = Infer<typeof account>
export type Bios = Infer<typeof bios>
export type BootOption = Infer<typeof bootOption>
export type Certificate = Infer<typeof certificate>
export type Chassis = Infer<typeof chassis>
export type Database = Infer<typeof database>
export type EnvironmentMetrics = Infer<typeof environmentMetrics>
export type Interface = Infer<typeof ethernetInterface>
export type License = Infer<typeof license>
export type LogService = Infer<typeof logService>
export type LogEntry = Infer<typeof logEntry>
export type Manager = Infer<typeof manager>
export type SecureBoot = Infer<typeof secureBoot>
export type Sensor = Infer<typeof sensor>
export type SensorHistory = Infer<typeof sensorHistory>
export type SessionResource = Infer<typeof session>
export type Signature = Infer<typeof signature>
export type Software = Infer<typeof software>
export type Subscription = Infer<typeof subscription>
export type System = Infer<typeof system>
export type Task = Infer<typeof task>
export type Thermal = Infer<typeof thermal>
export type UpdateService = Infer<typeof updateService>
export type VirtualMedia = Infer<typeof media>
