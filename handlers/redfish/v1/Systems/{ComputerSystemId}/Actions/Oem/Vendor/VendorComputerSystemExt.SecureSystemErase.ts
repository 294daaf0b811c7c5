import { secureErase, systemUri } from '#data/system'
import { beginTask, eraseParts, eraseTask } from '#data/tasks'
import { event, fail, type Post } from '#runtime/contract'

const action = 'VendorComputerSystemExt.SecureSystemErase'

export const body = secureErase

export const privileges = {
  POST: { all: ['HostBIOSConfigPriv', 'HostStorageConfigPriv', 'SystemRecoveryConfigPriv'] }
} as const

/** Both are erased where nothing is said. The host is off, and is held off until it is erased. */
export const POST: Post<typeof body, 'ComputerSystemId'> = (context) => {
  const { params, body, machine } = context
  const system = params.ComputerSystemId
  const board = machine.system(system)
  const { SystemROMAndMgmtErase: firmware = true, UserDataErase: userData = true } = body
  const parts = eraseParts(board, { firmware, userData })
  if (parts.length === 0) fail(400, 'Base.ActionParameterValueError', 'UserDataErase', action)
  if (machine.power(system) !== 'Off') fail(409, 'Mgmt.SystemPowerOffRequired')
  const erasure = { system, parts, done: 0 }
  const id = context.random(8)
  const begun = beginTask(context, id, eraseTask(system, parts), { erasure: { [id]: erasure } })
  const started = event('MgmtEvents.SecureEraseStarted', systemUri(system), system, context.caller.user)
  return { ...begun, events: [started, ...begun.events] }
}
