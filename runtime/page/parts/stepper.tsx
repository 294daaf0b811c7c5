import { labelOf, t, type Word } from '../words/index.ts'

interface Props {
  readonly label: string
  readonly steps: readonly {
    readonly name: Word
    readonly state: 'done' | 'now' | 'failed' | 'next'
    /** The part of it that is done, from 0 to 1. */
    readonly part?: number
  }[]
}

const marks = { done: '✓', now: '●', failed: '✗', next: '○' } as const

/** The states of a task that a step's are called like. */
const states = { done: 'Completed', now: 'Running', failed: 'Exception', next: 'New' } as const

/**
 * The steps of something that takes a while: what is done, what goes on, and what is to come. Screen readers say a step
 * whose state changes.
 */
export function Stepper({ label, steps }: Props) {
  return (
    <ol class="steps" aria-label={label} aria-live="polite">
      {steps.map(({ name, state, part }) => (
        <li key={name} class={state} aria-current={state === 'now' ? 'step' : undefined} aria-atomic="true">
          <span key={state} role="img" aria-label={labelOf(states[state])}>
            {marks[state]}
          </span>{' '}
          {t(name)}
          {state === 'failed' && (
            <span class="badge bad" aria-hidden="true">
              {t('stepFailed')}
            </span>
          )}
          {state === 'now' && part !== undefined && <progress aria-label={t(name)} max={1} value={part} />}
        </li>
      ))}
    </ol>
  )
}
