import { useEffect, useState } from 'preact/hooks'
import { send } from '../service/client.ts'
import { reread } from '../service/resources.ts'
import { t } from '../words/index.ts'
import { Action } from './action.tsx'

/** When the page first saw each trial, by the resource: the service tells how long it takes, not when it began. */
const begins = new Map<string, number>()

interface Props {
  /** The resource that was changed. */
  readonly uri: string
  /** The resource that the page reads it from; absent: the one that was changed. */
  readonly shownBy?: string
  /** How long the change is on trial, in seconds; absent: it is not. */
  readonly seconds: number | null | undefined
  /** Where the page is after the change; absent: not known. */
  readonly goal: string | undefined
}

/** A change that the service rolls back unless a client uses it: the time left, and a button to keep it. */
export function Trial({ uri, shownBy = uri, seconds, goal }: Props) {
  const [now, setNow] = useState(performance.now())
  const isOn = typeof seconds === 'number' && seconds > 0
  if (!isOn) begins.delete(uri)
  else if (!begins.has(uri)) begins.set(uri, performance.now())
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => setNow(performance.now()), 1000)
    return () => clearInterval(timer)
  }, [isOn])
  if (!isOn) return null
  const left = Math.max(0, Math.ceil(seconds - (now - (begins.get(uri) ?? now)) / 1000))
  return (
    <div class="note trial">
      <p role="timer">{t('trialLeft', left)}</p>
      <progress max={seconds} value={left} aria-label={t('trial')} />
      <div class="row">
        {goal !== undefined && <a href={goal}>{t('trialGo', goal)}</a>}
        <Action
          label={t('trialKeep')}
          act={() => send('PATCH', uri, { Oem: { Vendor: { RollbackTime: 0 } } }).finally(() => reread(shownBy))}
        />
      </div>
    </div>
  )
}
