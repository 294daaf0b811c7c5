import type { BoardSystem } from '#data/board'
import { flag, integer, status, text } from '#data/resource'
import type { Context } from '#runtime/contract'

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

/** {@link trustedModules}: the one that a board has. */
export function showTrustedModules({ trustedModule }: BoardSystem, health: ReturnType<Context['health']>) {
  if (trustedModule === undefined) return []
  return [{ FirmwareVersion: trustedModule.firmwareVersion, InterfaceType: 'TPM2_0', Status: health } as const]
}

/** The services for the serial console (DSP0268, ComputerSystem.HostSerialConsole). */
export const serialConsole = {
  type: 'object',
  properties: {
    MaxConcurrentSessions: integer,
    WebSocket: {
      type: 'object',
      properties: {
        ConsoleURI: { type: 'string', format: 'uri-reference', readonly: true },
        Interactive: flag,
        ServiceEnabled: flag
      }
    }
  }
} as const
