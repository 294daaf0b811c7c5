import { diagnosticData, getDiagnosticData } from '#data/diagnostics'
import type { Get, Schema } from '#runtime/contract'

export const schema = diagnosticData satisfies Schema

export const plain = true

export const privileges = { GET: 'MgmtConfigPriv' } as const

/** The file that `AdditionalDataURI` of the entry names. */
export const GET: Get<typeof schema, 'ManagerId' | 'LogServiceId' | 'LogEntryId'> = getDiagnosticData
