import type { ShownMessage } from '../rules/failure.ts'
import { sentences } from './problem.tsx'

interface Props {
  /** The fault that the page found before anything was sent. */
  readonly text?: string | undefined
  /** The messages of the service about this field. */
  readonly messages?: readonly ShownMessage[]
}

/** The faults of one field, which screen readers announce. */
export function FieldProblem({ text, messages = [] }: Props) {
  if (text === undefined && messages.length === 0) return null
  return (
    <small class="problem" role="alert">
      <bdi>{[text, ...messages.map(sentences)].filter(Boolean).join(' ')}</bdi>
    </small>
  )
}
