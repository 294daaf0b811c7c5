import { firstCurrent, hasBiosSettings, resetPending } from '#data/bios'
import type { BoardSystem } from '#data/board'
import { clearLogs } from '#data/logs'
import { factoryDefaults } from '#data/manager'
import type { Machine, State, Writes } from '#runtime/contract'
import type { Erasure, Task } from './records.ts'
import { simulatedWork } from './simulated.ts'
import { isWork } from './storage-work.ts'

/** The parts that a client asks to erase, data of users or that of firmware and controller, in their order. */
export function eraseParts(
  system: BoardSystem,
  { userData, firmware }: { userData: boolean; firmware: boolean }
): string[] {
  const storage = Object.keys(system.storage).map((id) => `storage/${id}`)
  const variables = system.nvram === undefined ? [] : ['variables']
  return [...(userData ? storage : []), ...(firmware ? ['settings', ...variables, 'controller', 'log'] : [])]
}

/** The members of a task that describe an erasure. */
export function eraseTask(system: string, parts: readonly string[]): Pick<Task, 'name' | 'needsReset'> {
  return { name: `Secure erase of system ${system}`, needsReset: parts.includes('controller') }
}

/**
 * The writes that erase one part of a system that is off. The variables go when the host is held for them, which is at
 * once; the controller has its factory defaults when it starts again, so that its users see the task to its end.
 *
 * @param time now, ISO 8601
 */
export function erase(
  part: string,
  { system, user }: Pick<Erasure, 'system'> & Pick<Task, 'user'>,
  state: State,
  machine: Machine,
  time: string
): Writes {
  const [kind = '', id] = part.split('/')
  // The devices do it themselves, or there is nothing to do, and nothing that is stored changes.
  if (isWork(kind) || kind === simulatedWork) return {}
  if (kind === 'storage') return { storage: { [`${system}/${id}`]: { volumes: {} } } }
  if (kind === 'log') return clearLogs(state, 'Systems', system)
  if (kind === 'controller') return factoryDefaults(user)
  if (kind === 'variables') {
    const waiting = state.keys('variable').filter((key) => key.startsWith(`${system}/`))
    return {
      variable: Object.fromEntries(waiting.map((key) => [key, null])),
      hostPending: { [system]: { mode: 'Normal', recovery: false, clearing: 'All' } }
    }
  }
  return {
    ...(machine.ownsBios(system)
      ? { biosCurrent: { [system]: firstCurrent(machine, system, time) }, biosPending: { [system]: null } }
      : hasBiosSettings(machine, system) && { biosPending: { [system]: resetPending(undefined) } }),
    boot: { [system]: null },
    hostWatchdog: { [system]: null },
    powerRestore: { [system]: null },
    secureBoot: { [system]: null },
    system: { [system]: null }
  }
}
