import type { Context, Outcome } from '#runtime/contract'
import { beginTask } from './begin.ts'

/** The parts of work that nothing does: a maker advertises it, and the simulated machine has nothing of the kind. */
export const pretended = 'pretended'

/** Begins a task that runs for a while, ends well and changes nothing. @param id of the task */
export function pretend(
  context: Pick<Context, 'caller' | 'configuration' | 'now' | 'state'>,
  id: string,
  name: string
): Outcome {
  const erasure = { system: '', parts: [pretended, pretended], done: 0, hostRuns: true }
  return beginTask(context, id, { name }, { erasure: { [id]: erasure } })
}
