import { type Draft, isChangedElsewhere } from '../rules/drafts.ts'
import { t } from '../words/index.ts'

interface Props<T> {
  readonly draft: Draft<T> | undefined
  /** The stored value. */
  readonly now: T
  /** The same in words. */
  readonly shown: string
  /** Of the field. */
  readonly label: string
  /** Called with the draft to continue with; undefined to take the stored value. */
  readonly onChoose: (draft: Draft<T> | undefined) => void
}

/** Reports that another client has stored another value during an edit, and offers both values. */
export function ChangedElsewhere<T>({ draft, now, shown, label, onChoose }: Props<T>) {
  if (draft === undefined || !isChangedElsewhere(draft, now)) return null
  return (
    <p class="note" role="alert">
      {t('changedElsewhere', shown)}{' '}
      <button
        type="button"
        class="plain"
        aria-label={t('keepMineOf', label)}
        onClick={() => onChoose({ value: draft.value, base: now })}
      >
        {t('keepMine')}
      </button>{' '}
      <button type="button" class="plain" aria-label={t('takeOtherOf', label)} onClick={() => onChoose(undefined)}>
        {t('takeOther')}
      </button>
    </p>
  )
}
