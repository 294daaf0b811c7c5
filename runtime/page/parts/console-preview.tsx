import { useEffect, useState } from 'preact/hooks'
import { addressOf } from '../router.ts'
import { plainText } from '../rules/plain-text.ts'
import { readConsole } from '../service/console.ts'
import { missingOf } from '../service/privileges.ts'
import type { System } from '../types.ts'
import { t } from '../words/index.ts'
import { Card } from './show.tsx'

/** Lines that are shown, and characters of the output among which they are looked for. */
const [lines, most] = [6, 4000]

/**
 * The last lines of the serial console as text: read once, and again when the state of the host changes. A user who may
 * not use the console sees nothing of it.
 */
export function ConsolePreview({ system }: { readonly system: System }) {
  const { SerialConsole, PowerState, BootProgress } = system
  const uri = missingOf('RemoteConsolePriv') === undefined ? SerialConsole?.WebSocket?.ConsoleURI : undefined
  const [tail, setTail] = useState('')
  useEffect(() => {
    if (uri === undefined) return
    let isLeft = false
    readConsole(uri).then(
      (bytes) => {
        const text = plainText(most)(new TextDecoder().decode(bytes.subarray(-most)))
        if (!isLeft) setTail(text.trimEnd().split('\n').slice(-lines).join('\n'))
      },
      // The screen of the console says why.
      () => {}
    )
    return () => {
      isLeft = true
    }
  }, [uri, PowerState, BootProgress?.LastState])
  if (uri === undefined) return null
  return (
    <Card title={t('console')} tools={<a href={addressOf('console')}>{t('openConsole')}</a>}>
      <pre class="tail">{tail === '' ? t('saidNothing') : tail}</pre>
    </Card>
  )
}
