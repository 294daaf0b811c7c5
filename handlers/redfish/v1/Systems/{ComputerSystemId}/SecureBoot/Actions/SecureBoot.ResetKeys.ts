import { databasesChanged, resetContents, resetKeysTypes, setDatabases } from '#data/secure-boot'
import { deferred, type Parameters, type Post } from '#runtime/contract'

export const body = {
  type: 'object',
  required: ['ResetKeysType'],
  properties: { ResetKeysType: { type: 'string', enum: resetKeysTypes } }
} as const satisfies Parameters

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, body, machine }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  const contents = resetContents(machine, system, body.ResetKeysType)
  return { ...deferred(setDatabases(machine, system, contents)), events: databasesChanged(system, contents) }
}
