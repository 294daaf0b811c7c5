import { useEffect, useRef, useState } from 'preact/hooks'
import { failureOf, Problem } from '../parts/problem.tsx'
import { Card, Loaded } from '../parts/show.tsx'
import type { Failure } from '../rules/failure.ts'
import { plainText } from '../rules/plain-text.ts'
import { type OpenConsole, openConsole } from '../service/console.ts'
import { useSystem } from '../service/machine.ts'
import type { Screen } from '../terminal.ts'
import { t } from '../words/index.ts'

/** The serial console of the host. */
export function Console() {
  return (
    <Loaded from={useSystem()}>
      {({ SerialConsole }) => {
        const uri = SerialConsole?.WebSocket?.ConsoleURI
        return uri ? <Session uri={uri} /> : <p>{t('noConsole')}</p>
      }}
    </Loaded>
  )
}

/** The first and the longest wait before the console is opened again, in milliseconds. */
const [firstWait, longestWait] = [500, 8000]

function Session({ uri }: { readonly uri: string }) {
  const place = useRef<HTMLDivElement>(null)
  const [round, setRound] = useState(0)
  const [state, setState] = useState<'opening' | 'connected' | 'lost'>('opening')
  const [failure, setFailure] = useState<Failure | undefined>()
  useEffect(() => {
    let console: OpenConsole | undefined
    let screen: Screen | undefined
    let left = false
    /** Opens it, and settles when the connection has ended. */
    const open = async (show: Show) => {
      let isFirst = true
      const said = (bytes: Uint8Array) => {
        if (left || place.current === null) return
        // What comes first is all that was said before, also what the last terminal has shown.
        if (isFirst) screen?.close()
        if (isFirst) screen = show(place.current, (text) => console?.type(text))
        isFirst = false
        screen?.write(bytes)
      }
      await new Promise<void>((over, failed) => {
        openConsole(uri, said, over).then((opened) => {
          console = opened
          if (left) console.close()
          else setState('connected')
        }, failed)
      })
    }
    const run = async () => {
      const show = await loadTerminal()
      for (let wait = firstWait; !left; wait = Math.min(wait * 2, longestWait)) {
        try {
          await open(show)
          wait = firstWait
        } catch (error) {
          const cause = failureOf(error)
          if (cause.status > 0 && cause.status < 500) return setFailure(cause)
        }
        if (!left) setState('lost')
        await new Promise((resolve) => setTimeout(resolve, wait))
      }
    }
    setState('opening')
    setFailure(undefined)
    void run()
    return () => {
      left = true
      console?.close()
      screen?.close()
    }
  }, [uri, round])
  return (
    <Card title={t('console')}>
      <Problem failure={failure} />
      <p role="status" class="row">
        {failure === undefined && t(state)}
        {state === 'connected' && <small>{t('leaveConsole')}</small>}
        {failure !== undefined && (
          <button type="button" onClick={() => setRound(round + 1)}>
            {t('again')}
          </button>
        )}
      </p>
      <div ref={place} class="console" />
    </Card>
  )
}

type Show = (element: HTMLElement, typed: (text: string) => void) => Screen

/** The terminal, or in a build without it, a plain one: text, and a line to type into. */
async function loadTerminal(): Promise<Show> {
  try {
    const { openTerminal } = await import('../terminal.ts')
    return openTerminal
  } catch {
    return openPlain
  }
}

function openPlain(element: HTMLElement, typed: (text: string) => void): Screen {
  const said = document.createElement('pre')
  const line = document.createElement('input')
  line.setAttribute('aria-label', t('typeHere'))
  line.placeholder = t('typeHere')
  said.tabIndex = 0
  said.setAttribute('role', 'log')
  line.onkeydown = (event) => {
    if (event.key !== 'Enter') return
    typed(`${line.value}\r`)
    line.value = ''
  }
  element.append(said, line)
  const read = plainText(65_536)
  const decoder = new TextDecoder()
  return {
    write(bytes) {
      said.textContent = read(decoder.decode(bytes, { stream: true }))
      said.scrollTop = said.scrollHeight
    },
    close: () => element.replaceChildren()
  }
}
