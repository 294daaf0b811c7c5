import { resetContents, resetDatabaseTypes } from '#data'
import { deferred, fail, openDatabase, type Parameters, type Post, setDatabases } from '#runtime'

export const body = {
  type: 'object',
  required: ['ResetKeysType'],
  properties: { ResetKeysType: { type: 'string', enum: resetDatabaseTypes } }
} as const satisfies Parameters

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

export const POST: Post<typeof body, 'ComputerSystemId' | 'SecureBootDatabaseId'> = (context) => {
  const { params, body, machine } = context
  const { database } = openDatabase(context)
  if (database.factory) fail(400, 'Base.ActionNotSupported', 'SecureBootDatabase.ResetKeys')
  const contents = resetContents(machine, params.ComputerSystemId, body.ResetKeysType, [database])
  return deferred(setDatabases(machine, params.ComputerSystemId, contents))
}
