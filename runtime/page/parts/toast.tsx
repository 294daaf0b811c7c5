import { signal } from '@preact/signals'
import { t } from '../words/index.ts'

const said = signal<string | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined

/** Milliseconds for which a text is shown; hover and focus do not matter, as it is said elsewhere too. */
const shown = 6000

/** Says for a short while that something was done whose form is closed. */
export function toast(text: string = t('saved')): void {
  clearTimeout(timer)
  said.value = text
  timer = setTimeout(() => {
    said.value = undefined
  }, shown)
}

/** Where it is said: once in the page, in a live region that is always there. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {said.value && <p>{said.value}</p>}
    </div>
  )
}
