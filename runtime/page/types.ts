/** Resources as the service sends them: the types of the handlers' schemas. Nothing of a handler is in the page. */

import type { schema as account } from '#handlers/redfish/v1/AccountService/Accounts/{ManagerAccountId}.ts'
import type { schema as role } from '#handlers/redfish/v1/AccountService/Roles/{RoleId}.ts'
import type { schema as userCertificate } from '#handlers/redfish/v1/AccountService/UserCertificateMapping/{UserName}.ts'
import type { schema as accountService } from '#handlers/redfish/v1/AccountService.ts'
import type { schema as enrollment } from '#handlers/redfish/v1/CertificateService/CertificateEnrollments/{CertificateEnrollmentId}.ts'
import type { schema as assembly } from '#handlers/redfish/v1/Chassis/{ChassisId}/Assembly.ts'
import type { schema as sensorHistory } from '#handlers/redfish/v1/Chassis/{ChassisId}/EnvironmentMetrics/SensorHistory.ts'
import type { schema as environmentMetrics } from '#handlers/redfish/v1/Chassis/{ChassisId}/EnvironmentMetrics.ts'
import type { schema as port } from '#handlers/redfish/v1/Chassis/{ChassisId}/NetworkAdapters/{NetworkAdapterId}/Ports/{PortId}.ts'
import type { schema as networkAdapter } from '#handlers/redfish/v1/Chassis/{ChassisId}/NetworkAdapters/{NetworkAdapterId}.ts'
import type { schema as pcieDevice } from '#handlers/redfish/v1/Chassis/{ChassisId}/PCIeDevices/{PCIeDeviceId}.ts'
import type { schema as power } from '#handlers/redfish/v1/Chassis/{ChassisId}/Power.ts'
import type { schema as battery } from '#handlers/redfish/v1/Chassis/{ChassisId}/PowerSubsystem/Batteries/{BatteryId}.ts'
import type { schema as supplyMetrics } from '#handlers/redfish/v1/Chassis/{ChassisId}/PowerSubsystem/PowerSupplies/{PowerSupplyId}/Metrics.ts'
import type { schema as powerSupply } from '#handlers/redfish/v1/Chassis/{ChassisId}/PowerSubsystem/PowerSupplies/{PowerSupplyId}.ts'
import type { schema as powerSubsystem } from '#handlers/redfish/v1/Chassis/{ChassisId}/PowerSubsystem.ts'
import type { schema as sensor } from '#handlers/redfish/v1/Chassis/{ChassisId}/Sensors/{SensorId}.ts'
import type { schema as thermal } from '#handlers/redfish/v1/Chassis/{ChassisId}/Thermal.ts'
import type { schema as fan } from '#handlers/redfish/v1/Chassis/{ChassisId}/ThermalSubsystem/Fans/{FanId}.ts'
import type { schema as trustedComponent } from '#handlers/redfish/v1/Chassis/{ChassisId}/TrustedComponents/{TrustedComponentId}.ts'
import type { schema as chassis } from '#handlers/redfish/v1/Chassis/{ChassisId}.ts'
import type { schema as subscription } from '#handlers/redfish/v1/EventService/Subscriptions/{EventDestinationId}.ts'
import type { schema as license } from '#handlers/redfish/v1/LicenseService/Licenses/{LicenseId}.ts'
import type { schema as dateTime } from '#handlers/redfish/v1/Managers/{ManagerId}/DateTime.ts'
import type { schema as ethernetInterface } from '#handlers/redfish/v1/Managers/{ManagerId}/EthernetInterfaces/{EthernetInterfaceId}.ts'
import type { schema as networkProtocol } from '#handlers/redfish/v1/Managers/{ManagerId}/NetworkProtocol.ts'
import type { schema as certificateLogin } from '#handlers/redfish/v1/Managers/{ManagerId}/SecurityService/CertificateAuthentication.ts'
import type { schema as securityService } from '#handlers/redfish/v1/Managers/{ManagerId}/SecurityService.ts'
import type { schema as media } from '#handlers/redfish/v1/Managers/{ManagerId}/VirtualMedia/{VirtualMediaId}.ts'
import type { schema as manager } from '#handlers/redfish/v1/Managers/{ManagerId}.ts'
import type { schema as session } from '#handlers/redfish/v1/SessionService/Sessions/{SessionId}.ts'
import type { schema as bios } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios.ts'
import type { schema as bootOption } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/BootOptions/{BootOptionId}.ts'
import type { schema as logEntry } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries/{LogEntryId}.ts'
import type { schema as logService } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}.ts'
import type { schema as memoryModule } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Memory/{MemoryId}.ts'
import type { schema as processor } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Processors/{ProcessorId}.ts'
import type { schema as certificate } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}/Certificates/{CertificateId}.ts'
import type { schema as signature } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}/Signatures/{SignatureId}.ts'
import type { schema as database } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/SecureBootDatabases/{SecureBootDatabaseId}.ts'
import type { schema as secureBoot } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot.ts'
import type { schema as storageController } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Controllers/{StorageControllerId}.ts'
import type { schema as drive } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Drives/{DriveId}.ts'
import type { schema as volume } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}/Volumes/{VolumeId}.ts'
import type { schema as storage } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Storage/{StorageId}.ts'
import type { schema as system } from '#handlers/redfish/v1/Systems/{ComputerSystemId}.ts'
import type { schema as task } from '#handlers/redfish/v1/TaskService/Tasks/{TaskId}.ts'
import type { schema as trigger } from '#handlers/redfish/v1/TelemetryService/Triggers/{TriggersId}.ts'
import type { schema as software } from '#handlers/redfish/v1/UpdateService/FirmwareInventory/{SoftwareInventoryId}.ts'
import type { schema as updateService } from '#handlers/redfish/v1/UpdateService.ts'
import type { Infer } from '#runtime/schema'

/** A collection that was asked for with `$expand`. */
export interface Expanded<T> {
  readonly '@odata.id': string
  readonly Members: readonly T[]
}

export type Account = Infer<typeof account>
export type AccountService = Infer<typeof accountService>
export type Bios = Infer<typeof bios>
export type BootOption = Infer<typeof bootOption>
export type Certificate = Infer<typeof certificate>
export type CertificateLogin = Infer<typeof certificateLogin>
export type Chassis = Infer<typeof chassis>
export type Clock = Infer<typeof dateTime>
export type Database = Infer<typeof database>
export type EnvironmentMetrics = Infer<typeof environmentMetrics>
export type Interface = Infer<typeof ethernetInterface>
export type License = Infer<typeof license>
export type LogService = Infer<typeof logService>
export type LogEntry = Infer<typeof logEntry>
export type Manager = Infer<typeof manager>
export type NetworkProtocol = Infer<typeof networkProtocol>
export type Role = Infer<typeof role>
export type SecureBoot = Infer<typeof secureBoot>
export type SecurityService = Infer<typeof securityService>
export type Sensor = Infer<typeof sensor>
export type SensorHistory = Infer<typeof sensorHistory>
export type SessionResource = Infer<typeof session>
export type Signature = Infer<typeof signature>
export type Software = Infer<typeof software>
export type Subscription = Infer<typeof subscription>
export type System = Infer<typeof system>
export type Task = Infer<typeof task>
export type Thermal = Infer<typeof thermal>
export type Trigger = Infer<typeof trigger>
export type Enrollment = Infer<typeof enrollment>
export type OldPower = Infer<typeof power>
export type UpdateService = Infer<typeof updateService>
export type UserCertificate = Infer<typeof userCertificate>
export type VirtualMedia = Infer<typeof media>
export type Assembly = Infer<typeof assembly>
export type NetworkAdapter = Infer<typeof networkAdapter>
export type Port = Infer<typeof port>
export type PcieDevice = Infer<typeof pcieDevice>
export type PowerSubsystem = Infer<typeof powerSubsystem>
export type Battery = Infer<typeof battery>
export type PowerSupply = Infer<typeof powerSupply>
export type Fan = Infer<typeof fan>
export type TrustedComponent = Infer<typeof trustedComponent>
export type MemoryModule = Infer<typeof memoryModule>
export type Processor = Infer<typeof processor>
export type Storage = Infer<typeof storage>
export type Drive = Infer<typeof drive>
export type Volume = Infer<typeof volume>
export type StorageController = Infer<typeof storageController>
export type SupplyMetrics = Infer<typeof supplyMetrics>
