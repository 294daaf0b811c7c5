import { databasesChanged, openDatabase, resetContents, resetDatabaseTypes, setDatabases } from '#data/secure-boot'
import { deferred, fail, type Parameters, type Post } from '#runtime/contract'

export const body = {
  type: 'object',
  required: ['ResetKeysType'],
  properties: { ResetKeysType: { type: 'string', enum: resetDatabaseTypes } }
} as const satisfies Parameters

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

export const POST: Post<typeof body, 'ComputerSystemId' | 'SecureBootDatabaseId'> = (context) => {
  const { params, body, machine } = context
  const { database } = openDatabase(context)
  if (database.factory) fail(409, 'Mgmt.KeyDatabaseReadOnly', database.id)
  const system = params.ComputerSystemId
  const contents = resetContents(machine, system, body.ResetKeysType, [database])
  return { ...deferred(setDatabases(machine, system, contents)), events: databasesChanged(system, contents) }
}
