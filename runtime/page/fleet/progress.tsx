import { Problem } from '../parts/problem.tsx'
import { locale } from '../words/index.ts'
import { dismiss, progress, stop } from './group.ts'
import { f } from './words/index.ts'

/** Failures that are shown one by one; more are counted. */
const shown = 10

interface Props {
  /** Selects the controllers with which it failed. */
  readonly onSelect?: (numbers: readonly number[]) => void
}

/** How far a group action is, and with which controllers it failed. */
export function Progress({ onSelect }: Props) {
  if (progress.value === undefined) return null
  const { label, all, done, failed, state, failure } = progress.value
  const number = (value: number) => value.toLocaleString(locale.value)
  const text =
    state === 'running'
      ? f('doing', label, number(done), number(all))
      : f(state, label, number(state === 'done' ? done - failed.length : done))
  return (
    <div class={`progress ${failed.length > 0 ? 'problem' : ''}`}>
      <div class="row">
        <span role="status">{text}</span>
        {state === 'running' && <progress aria-label={label} value={done} max={all} />}
        {state === 'running' ? (
          <button type="button" onClick={stop}>
            {f('stop')}
          </button>
        ) : (
          <button type="button" class="plain-look" onClick={dismiss}>
            {f('dismiss')}
          </button>
        )}
      </div>
      <Problem failure={failure} />
      {failed.length > 0 && (
        <>
          <p>{f('failedFor', number(failed.length))}</p>
          <ul>
            {failed.slice(0, shown).map((each) => (
              <li key={each.number}>{f('failedOf', String(each.number), each.message)}</li>
            ))}
            {failed.length > shown && <li>{f('moreFailed', number(failed.length - shown))}</li>}
          </ul>
          {onSelect && (
            <button type="button" onClick={() => onSelect(failed.map((each) => each.number))}>
              {f('selectFailed')}
            </button>
          )}
        </>
      )}
    </div>
  )
}
