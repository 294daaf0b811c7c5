import { getDump } from '#data/logs'
import type { GetDump } from '#runtime/contract'

// A dump may have secrets of the machine.
export const privileges = { GET: 'MgmtConfigPriv' } as const

/** The file that `AdditionalDataURI` of a dump names. */
export const GET: GetDump<'ComputerSystemId' | 'LogServiceId' | 'LogEntryId'> = getDump
