import type { BoardSystem } from '#data/board'
import type { Configuration } from '#data/configuration'
import { flag, integer, status, text } from '#data/resource'
import { type Context, list, object } from '#runtime/contract'

export const memorySummary = object({
  TotalSystemMemoryGiB: { type: 'number', nullable: true, readonly: true },
  Status: status
})

export const processorSummary = object({
  Count: { type: 'integer', nullable: true, readonly: true },
  Model: text,
  Status: status
})

export const trustedModules = list(
  object({
    FirmwareVersion: text,
    InterfaceType: { type: 'string', enum: ['TPM2_0'], nullable: true, readonly: true },
    Status: status
  })
)

/** {@link trustedModules}: the one that a board has. */
export function showTrustedModules({ trustedModule }: BoardSystem, health: ReturnType<Context['health']>) {
  if (trustedModule === undefined) return []
  return [{ FirmwareVersion: trustedModule.firmwareVersion, InterfaceType: 'TPM2_0', Status: health } as const]
}

/** The services for the serial console (DSP0268, ComputerSystem.HostSerialConsole). */
export const serialConsole = object({
  MaxConcurrentSessions: integer,
  WebSocket: object({
    ConsoleURI: { type: 'string', format: 'uri-reference', readonly: true },
    Interactive: flag,
    ServiceEnabled: flag
  })
})

/** {@link serialConsole} of a system. @param uri of the system */
export function showSerialConsole(uri: string, { console }: Configuration) {
  return {
    MaxConcurrentSessions: console.sessions,
    WebSocket: { ConsoleURI: `${uri}/SerialConsole`, Interactive: true, ServiceEnabled: true }
  }
}
