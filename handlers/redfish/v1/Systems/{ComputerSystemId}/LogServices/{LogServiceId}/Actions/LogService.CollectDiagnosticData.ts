import { diagnosticDataRequest, postCollectDiagnosticData } from '#data/diagnostics'
import type { Parameters, Post } from '#runtime/contract'

export const body = diagnosticDataRequest satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ComputerSystemId' | 'LogServiceId'> = postCollectDiagnosticData
