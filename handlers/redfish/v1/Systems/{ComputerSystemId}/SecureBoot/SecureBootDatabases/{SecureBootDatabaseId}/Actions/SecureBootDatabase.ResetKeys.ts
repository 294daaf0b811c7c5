import { databasesChanged, openDatabase, resetContents, resetDatabaseTypes, setDatabases } from '#data/secure-boot'
import { deferred, fail, object, type Post } from '#runtime/contract'

export const body = object(['ResetKeysType'], { ResetKeysType: { type: 'string', enum: resetDatabaseTypes } })

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

export const POST: Post<typeof body, 'ComputerSystemId' | 'SecureBootDatabaseId'> = (context) => {
  const { params, body, machine } = context
  const { database } = openDatabase(context)
  if (database.factory) fail(409, 'Mgmt.KeyDatabaseReadOnly', database.id)
  const system = params.ComputerSystemId
  const contents = resetContents(machine, system, body.ResetKeysType, [database])
  return { ...deferred(setDatabases(machine, system, contents)), events: databasesChanged(system, contents) }
}
