import type { ComponentChildren } from 'preact'
import { t } from '../words/index.ts'
import { type Allowed, useWhyNot } from './allowed.ts'
import { useOperation } from './operation.ts'
import { Messages, Problem } from './problem.tsx'
import { confirm } from './question.tsx'
import { Status } from './show.tsx'

/** Something that the user can do, with a button or from the search. */
export interface Command extends Allowed {
  readonly label: string
  /** The request that it sends. The messages of its answer are shown. */
  readonly act: () => Promise<unknown>
  /** Why it cannot be done now. */
  readonly whyNot?: string | undefined
  /** Asked before; the label is the word that goes on. */
  readonly question?: string | undefined
  readonly kind?: 'primary' | 'danger' | 'plain'
}

interface Props extends Command {
  /** The thing that it acts on: a part of its accessible name if several buttons have the same label. */
  readonly of?: string
  readonly children?: ComponentChildren
}

/** A button that does something in the service, with its progress and what went wrong beside it. */
export function Action({ label, of, act, question, kind = 'plain', children, ...props }: Props) {
  const whyNot = useWhyNot(props) ?? props.whyNot
  const operation = useOperation()
  const start = async () => {
    if (whyNot !== undefined) return
    if (question === undefined || (await confirm(label, question, label))) await operation.run(act)
  }
  return (
    <span class="action">
      <button
        type="button"
        class={kind}
        aria-label={of === undefined ? undefined : `${label}: ${of}`}
        aria-disabled={whyNot !== undefined}
        aria-busy={operation.busy}
        onClick={start}
        title={whyNot}
      >
        {children ?? label}
        {whyNot !== undefined && <small>{whyNot}</small>}
      </button>
      <Outcome operation={operation} />
    </span>
  )
}

/** How an operation ended. */
export function Outcome({ operation }: { readonly operation: ReturnType<typeof useOperation> }) {
  const { busy, failure, messages } = operation
  return (
    <>
      {busy && <progress aria-label={t('working')} />}
      <Problem failure={failure} />
      <Status>
        {messages.length > 0 && (
          <div class="note">
            <Messages messages={messages} />
          </div>
        )}
      </Status>
    </>
  )
}
