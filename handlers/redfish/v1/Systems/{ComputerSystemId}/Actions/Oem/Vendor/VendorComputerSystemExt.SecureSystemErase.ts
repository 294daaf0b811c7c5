import { systemUri } from '#data/system'
import { eraseParts, roomForTask, taskUri } from '#data/tasks'
import { accepted, event, fail, merged, type Parameters, type Post } from '#runtime/contract'

const action = 'VendorComputerSystemExt.SecureSystemErase'

export const body = {
  type: 'object',
  properties: { SystemROMAndMgmtErase: { type: 'boolean' }, UserDataErase: { type: 'boolean' } }
} as const satisfies Parameters

export const privileges = {
  POST: { all: ['HostBIOSConfigPriv', 'HostStorageConfigPriv', 'SystemRecoveryConfigPriv'] }
} as const

/** Both are erased where nothing is said. The host is off, and is held off until it is erased. */
export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, body, machine, state, ...context }) => {
  const system = params.ComputerSystemId
  const board = machine.system(system)
  const { SystemROMAndMgmtErase: firmware = true, UserDataErase: userData = true } = body
  const parts = eraseParts(board, { firmware, userData })
  if (parts.length === 0) fail(400, 'Base.ActionParameterValueError', 'UserDataErase', action)
  if (machine.power(system) !== 'Off') fail(409, 'Mgmt.SystemPowerOffRequired')
  const { caller, configuration, now, random } = context
  const id = random(8)
  const uri = taskUri(id)
  const task = {
    system,
    state: 'Running' as const,
    user: caller.user,
    parts,
    done: 0,
    startedAt: now().toISOString(),
    endedAt: ''
  }
  return {
    ...accepted(uri, merged(roomForTask(state, configuration.limits.tasks), { task: { [id]: task } }), caller),
    events: [
      event('MgmtEvents.SecureEraseStarted', systemUri(system), system, caller.user),
      event('TaskEvent.TaskStarted', uri, id)
    ]
  }
}
