import { timeAt, timeText } from '../rules/time.ts'
import { controllerOffset } from '../service/machine.ts'
import { locale } from '../words/index.ts'

/** A time in the zone of the reader, with that of the controller's zone under the mouse. */
export function Time({ of }: { readonly of: string | null | undefined }) {
  const text = timeText(of, locale.value)
  if (of == null || text === '') return null
  const offset = controllerOffset.value
  return (
    <time dateTime={of} title={offset === undefined ? undefined : timeAt(of, offset, locale.value)}>
      {text}
    </time>
  )
}
