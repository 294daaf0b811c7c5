import { deleteLogEntry, getLogEntry, logEntry, logEntryMethods } from '#data/logs'
import type { Delete, Get, Methods, Schema } from '#runtime/contract'

export const schema = logEntry satisfies Schema

export const privileges = { GET: 'LoginPriv', DELETE: 'MgmtConfigPriv' } as const

export const methods: Methods = logEntryMethods('Managers')

type Params = 'ManagerId' | 'LogServiceId' | 'LogEntryId'

export const GET: Get<typeof schema, Params> = getLogEntry

export const DELETE: Delete<Params> = deleteLogEntry
