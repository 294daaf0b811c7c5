import { getAttachment } from '#data/logs'
import type { GetBytes } from '#runtime/contract'

export const privileges = { GET: 'LoginPriv' } as const

export const GET: GetBytes<'ComputerSystemId' | 'LogServiceId' | 'LogEntryId'> = getAttachment
