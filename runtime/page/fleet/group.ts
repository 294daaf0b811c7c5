import { computed, signal } from '@preact/signals'
import { type GroupAction, groupSize } from '#data/fleet'
import { failureOf } from '../parts/problem.tsx'
import type { Failure } from '../rules/failure.ts'
import { send } from '../service/client.ts'

interface FailedOne {
  readonly number: number
  readonly message: string
}

/** Something that is done with many controllers, a few at a time. */
interface Progress {
  /** Its name. */
  readonly label: string
  readonly all: number
  readonly done: number
  readonly failed: readonly FailedOne[]
  readonly state: 'running' | 'done' | 'stopped'
  /** Why it ended before its end. */
  readonly failure?: Failure
}

/** The last group action; undefined before it, and when it is dismissed. */
export const progress = signal<Progress | undefined>(undefined)

export const isRunning = computed(() => progress.value?.state === 'running')

let isStopped = false

/** Ends the group action after those controllers that it is at. */
export function stop(): void {
  isStopped = true
}

export function dismiss(): void {
  progress.value = undefined
}

/**
 * Does something with many controllers. The page asks for a few at a time: it shows how far that is, and
 * can stop. Never throws: the progress says what went wrong.
 */
export async function forEach(
  label: string,
  numbers: readonly number[],
  action: Omit<GroupAction, 'controllers'>
): Promise<void> {
  if (isRunning.value) return
  isStopped = false
  let now: Progress = { label, all: numbers.length, done: 0, failed: [], state: 'running' }
  const show = (more: Partial<Progress>) => {
    now = { ...now, ...more }
    progress.value = now
  }
  show({})
  try {
    for (let at = 0; at < numbers.length && !isStopped; at += groupSize) {
      const some = numbers.slice(at, at + groupSize)
      const { body } = await send<{ readonly failed: readonly FailedOne[] }>('POST', '/fleet/', {
        ...action,
        controllers: some
      })
      show({ done: now.done + some.length, failed: [...now.failed, ...body.failed] })
    }
    show({ state: now.done < numbers.length ? 'stopped' : 'done' })
  } catch (error) {
    show({ state: 'stopped', failure: failureOf(error) })
  }
}
