import { getLogService, logService } from '#data/logs'
import type { Get, Schema } from '#runtime/contract'

export const schema = logService satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'LogServiceId'> = getLogService
