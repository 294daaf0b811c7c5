import { flag, integer, status, text } from '#data/resource'
import { watchdogActions } from './records.ts'

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

/** The host's watchdog timer (DSP0268, ComputerSystem.WatchdogTimer). There is one end of it, and no warning before. */
export const hostWatchdogTimer = {
  type: 'object',
  properties: {
    FunctionEnabled: { type: 'boolean', nullable: true, readonly: false },
    TimeoutAction: {
      type: 'string',
      enum: Object.keys(watchdogActions) as readonly (keyof typeof watchdogActions)[],
      nullable: true,
      readonly: false
    },
    Status: status
  }
} as const

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
