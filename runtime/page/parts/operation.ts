import { useState } from 'preact/hooks'
import type { Failure, ShownMessage } from '../rules/failure.ts'
import { type Answer, messagesOf, type Shown } from '../service/client.ts'
import { failureOf } from './problem.tsx'

/** Something that the user started, and how it goes. */
export interface Operation {
  readonly busy: boolean
  /** Whether it succeeded. */
  readonly done: boolean
  readonly failure: Failure | undefined
  /** The messages with which the service reports its success. */
  readonly messages: readonly ShownMessage[]
  /** Starts it, unless it goes on already. @returns whether it succeeded */
  run(work: () => Promise<unknown>): Promise<boolean>
  clear(): void
}

const idle = { busy: false, done: false, failure: undefined, messages: [] as readonly ShownMessage[] }

export function useOperation(): Operation {
  const [state, setState] = useState<Pick<Operation, 'busy' | 'done' | 'failure' | 'messages'>>(idle)
  return {
    ...state,
    async run(work) {
      if (state.busy) return false
      setState({ ...idle, busy: true })
      try {
        const result = await work()
        setState({ ...idle, done: true, messages: said(result) })
        return true
      } catch (error) {
        setState({ ...idle, failure: failureOf(error) })
        return false
      }
    },
    clear: () => setState(idle)
  }
}

/** The messages of an answer; that all is well goes without saying. */
function said(result: unknown): readonly ShownMessage[] {
  const body = (result as Partial<Answer<Shown>> | undefined)?.body
  return typeof body !== 'object' ? [] : messagesOf(body).filter((each) => !each.MessageId.endsWith('.Success'))
}
