import { attribute } from './attributes.ts'

/** UEFI 2.10, 8.2: what a variable is known by. */
export interface VariableName {
  /** Without NUL; compared exactly. */
  readonly name: string
  /** Text in lower case, `8be4df61-93ca-11d2-aa0d-00e098032b8c`. */
  readonly guid: string
}

/** EFI_GLOBAL_VARIABLE (UEFI 2.10, 3.3). */
export const globalGuid = '8be4df61-93ca-11d2-aa0d-00e098032b8c'
/** EFI_IMAGE_SECURITY_DATABASE_GUID (UEFI 2.10, 32.4.1). */
export const imageSecurityGuid = 'd719b2cb-3d3a-4596-a3bc-dad00e67656f'

const { nonVolatile, bootService, runtime, timeBased } = attribute

/** The name of a variable and the attributes that it is stored with. */
export interface KnownVariable extends VariableName {
  readonly attributes: number
}

const ordinary = nonVolatile | bootService | runtime
const database = (name: string, guid: string): KnownVariable => ({ name, guid, attributes: ordinary | timeBased })
const factory = (name: string): KnownVariable => ({ name, guid: globalGuid, attributes: ordinary })

/**
 * The databases of secure boot (UEFI 2.10, 3.3 and 32.4.1), each a concatenation of signature lists. Firmware has the
 * `…Default` ones in volatile variables of its own where the store does not have them.
 */
export const secureBootVariables = {
  PK: database('PK', globalGuid),
  KEK: database('KEK', globalGuid),
  db: database('db', imageSecurityGuid),
  dbx: database('dbx', imageSecurityGuid),
  dbt: database('dbt', imageSecurityGuid),
  dbr: database('dbr', imageSecurityGuid),
  PKDefault: factory('PKDefault'),
  KEKDefault: factory('KEKDefault'),
  dbDefault: factory('dbDefault'),
  dbxDefault: factory('dbxDefault'),
  dbtDefault: factory('dbtDefault'),
  dbrDefault: factory('dbrDefault')
} as const satisfies Record<string, KnownVariable>

/** One byte, 1 or 0: whether firmware checks signatures once there is a PK (EDK II, AuthenticatedVariableFormat.h). */
export const secureBootEnable: KnownVariable = {
  name: 'SecureBootEnable',
  guid: 'f0a30bc7-af08-4556-99c4-001009c93a44',
  attributes: nonVolatile | bootService
}

/** The certificate authorities that firmware trusts when it boots over HTTPS: signature lists (EDK II, TlsAuthentication.h). */
export const tlsCaCertificate: KnownVariable = {
  name: 'TlsCaCertificate',
  guid: 'fd2340d0-3dab-4349-a6c7-3b4f12b48eae',
  attributes: nonVolatile | bootService
}

/** The order in which firmware tries its boot options, and the one that it tries first the next time only. */
export const bootOrder: KnownVariable = { name: 'BootOrder', guid: globalGuid, attributes: ordinary }
export const bootNext: KnownVariable = { name: 'BootNext', guid: globalGuid, attributes: ordinary }

/** The variable of a boot option: `Boot` and four digits (UEFI 2.10, 3.3). */
export function bootVariable(number: number): KnownVariable {
  const digits = number.toString(16).toUpperCase().padStart(4, '0')
  return { name: `Boot${digits}`, guid: globalGuid, attributes: ordinary }
}

/** The modes of secure boot (UEFI 2.10, 32.3). */
export const secureBootModes = ['SetupMode', 'UserMode', 'AuditMode', 'DeployedMode'] as const

export type SecureBootMode = (typeof secureBootModes)[number]
