import { deleteLogEntry, getLogEntry, logEntry, logEntryMethods, patchLogEntry } from '#data/logs'
import type { Delete, Get, Methods, Patch, Schema } from '#runtime/contract'

export const schema = logEntry satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv', DELETE: 'MgmtConfigPriv' } as const

export const methods: Methods = logEntryMethods('Systems')

type Params = 'ComputerSystemId' | 'LogServiceId' | 'LogEntryId'

export const GET: Get<typeof schema, Params> = getLogEntry

export const PATCH: Patch<typeof schema, Params> = patchLogEntry

export const DELETE: Delete<Params> = deleteLogEntry
