import { status, text } from '#data/resource'

export const memorySummary = {
  type: 'object',
  properties: { TotalSystemMemoryGiB: { type: 'number', nullable: true, readonly: true }, Status: status }
} as const

export const processorSummary = {
  type: 'object',
  properties: { Count: { type: 'integer', nullable: true, readonly: true }, Model: text, Status: status }
} as const

export const trustedModules = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      FirmwareVersion: text,
      InterfaceType: { type: 'string', enum: ['TPM2_0'], nullable: true, readonly: true },
      Status: status
    }
  }
} as const
