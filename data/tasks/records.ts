import { type Message, table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By id. */
    task: Task
    /** An erasure that has not ended: by the id of its task. */
    erasure: Erasure
  }
}

table('task', { survives: ['restart', 'restStateReset'] })
table('erasure', { survives: ['restart', 'restStateReset'] })

/** As far as tasks of this service get into them (DSP0268, Task.TaskState). */
export const taskStates = ['Running', 'Pending', 'Completed', 'Exception'] as const

/** Work that takes time, and how far it is. A record of the same id in another table says what the work is. */
export interface Task {
  name: string
  state: (typeof taskStates)[number]
  user: string
  percent: number
  /** The messages so far. */
  messages: readonly Message[]
  /** Whether the controller has to start anew once the work is done. */
  needsReset?: boolean
  /** ISO 8601; `endedAt` empty until it ends. */
  startedAt: string
  endedAt: string
}

/** The erasing of a system, work on a single drive or volume, or simulated work. */
export interface Erasure {
  system: string
  /** The steps of the work, in order (see `eraseParts` and `workOn`), and how many of them are done. */
  parts: readonly string[]
  done: number
  /** Whether the host may run meanwhile. */
  hostRuns?: boolean
}
