import { type Allowed, useWhyNot } from './allowed.ts'

interface Props extends Allowed {
  readonly label: string
  readonly busy: boolean
  readonly kind?: 'primary'
}

/** The button that sends a form. */
export function Submit({ label, busy, kind, ...allowed }: Props) {
  const whyNot = useWhyNot(allowed)
  return (
    <button type="submit" class={kind} disabled={whyNot !== undefined} aria-busy={busy} title={whyNot}>
      {label}
      {whyNot !== undefined && <small>{whyNot}</small>}
    </button>
  )
}
