/** The steps of an update in their order. */
const steps = ['uploaded', 'verified', 'written', 'restarted', 'runs'] as const

/** A step of something that takes a while, and how far it is. */
export interface Step {
  readonly name: (typeof steps)[number]
  readonly state: 'done' | 'now' | 'failed' | 'next'
  /** The part of it that is done, from 0 to 1, where that is known. */
  readonly part?: number
}

/** The percentage of a task of which on its image is written, and waits for the restart. */
const written = 90

/** A task as far as its steps show it. */
interface Progress {
  readonly TaskState?: string | null | undefined
  readonly PercentComplete?: number | null | undefined
}

/**
 * How far an update is.
 *
 * @param sent the part of the file that was sent, from 0 to 1
 * @param task absent before the service has read the file: it makes a task of a file that it has verified
 */
export function updateSteps(sent: number, task: Progress | undefined): readonly Step[] {
  const { TaskState: state, PercentComplete } = task ?? {}
  const percent = PercentComplete ?? 0
  const now = task === undefined ? 0 : state === 'Completed' ? steps.length : percent < written ? 2 : 3
  const part = task === undefined ? sent : percent / written
  return steps.map((name, index) => {
    if (index !== now) return { name, state: index < now ? 'done' : 'next' }
    if (state === 'Exception') return { name, state: 'failed' }
    return now < 3 ? { name, state: 'now', part } : { name, state: 'now' }
  })
}
