import { getLogEntry, logEntry } from '#data/logs'
import type { Get, Schema } from '#runtime/contract'

export const schema = logEntry satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId' | 'LogServiceId' | 'LogEntryId'> = getLogEntry
