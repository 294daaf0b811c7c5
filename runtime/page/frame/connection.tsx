import { connection } from '../service/connection.ts'
import { t } from '../words/index.ts'

const kinds = { opening: 'warn', live: 'good', lost: 'bad', full: 'warn' }

/** Whether the page hears of changes. */
export function Connection() {
  const state = connection.value
  return (
    <span role="status" class={`badge dot ${kinds[state]}`}>
      {t(state)}
    </span>
  )
}
