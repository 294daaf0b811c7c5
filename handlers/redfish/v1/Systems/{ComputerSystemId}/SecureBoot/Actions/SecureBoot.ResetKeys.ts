import { databasesChanged, resetContents, resetKeysTypes, setDatabases } from '#data/secure-boot'
import { ofVariables } from '#data/variables'
import { deferred, object, type Post } from '#runtime/contract'

export const body = object(['ResetKeysType'], { ResetKeysType: { type: 'string', enum: resetKeysTypes } })

export const exists = ofVariables

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, body, machine }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  const contents = resetContents(machine, system, body.ResetKeysType)
  return { ...deferred(setDatabases(machine, system, contents)), events: databasesChanged(system, contents) }
}
