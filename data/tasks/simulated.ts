import type { Context, Outcome } from '#runtime/contract'
import { beginTask } from './begin.ts'

/** The kind of the parts of simulated work: a maker advertises an action for which the machine has no device. */
export const simulatedWork = 'simulated'

/** Begins a task that runs for a while, ends well and changes nothing. @param id of the task */
export function simulateWork(
  context: Pick<Context, 'caller' | 'configuration' | 'now' | 'state'>,
  id: string,
  name: string
): Outcome {
  const erasure = { system: '', parts: [simulatedWork, simulatedWork], done: 0, hostRuns: true }
  return beginTask(context, id, { name }, { erasure: { [id]: erasure } })
}
