import { t, type Word } from '../words/index.ts'

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

/** The steps of something that takes a while: what is done, what goes on, and what is to come. */
export function Stepper({ label, steps }: Props) {
  return (
    <ol class="steps" aria-label={label}>
      {steps.map(({ name, state, part }) => (
        <li key={name} class={state} aria-current={state === 'now' ? 'step' : undefined}>
          <span aria-hidden="true">{marks[state]}</span> {t(name)}
          {state === 'failed' && <span class="badge bad">{t('stepFailed')}</span>}
          {state === 'now' && part !== undefined && <progress aria-label={t(name)} max={1} value={part} />}
        </li>
      ))}
    </ol>
  )
}
