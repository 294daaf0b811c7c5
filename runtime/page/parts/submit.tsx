import { mayOnlyRead } from '../service/privileges.ts'
import { t } from '../words/index.ts'

/** Why the user may change nothing; undefined who may. */
export const whyReadOnly = () => (mayOnlyRead.value ? t('mayOnlyRead') : undefined)

interface Props {
  readonly label: string
  readonly busy: boolean
  /** Whether it changes what is the user's own, which every role may. */
  readonly own?: boolean
  readonly kind?: 'primary'
}

/** The button that sends a form. */
export function Submit({ label, busy, own = false, kind }: Props) {
  const whyNot = own ? undefined : whyReadOnly()
  return (
    <button type="submit" class={kind} disabled={whyNot !== undefined} aria-busy={busy} title={whyNot}>
      {label}
      {whyNot !== undefined && <small>{whyNot}</small>}
    </button>
  )
}
