import { postClearLog } from '#data/logs'
import { object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ManagerId' | 'LogServiceId'> = postClearLog
