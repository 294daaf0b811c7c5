import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { Popover } from '../parts/popover.tsx'
import { failureOf, Problem } from '../parts/problem.tsx'
import { Modal } from '../parts/question.tsx'
import { Segments } from '../parts/segments.tsx'
import { Loaded, PowerState } from '../parts/show.tsx'
import type { Failure } from '../rules/failure.ts'
import { functionKeys, type KeySet, otherKeys, sequenceOf, sysRqCommands } from '../rules/keys.ts'
import { plainText } from '../rules/plain-text.ts'
import { Typist } from '../rules/typist.ts'
import { send } from '../service/client.ts'
import { type OpenConsole, openConsole } from '../service/console.ts'
import { useSystem } from '../service/machine.ts'
import type { Screen } from '../terminal.ts'
import type { System } from '../types.ts'
import { labelOf, locale, t } from '../words/index.ts'

/** The serial console of the host. */
export function Console() {
  return (
    <Loaded from={useSystem()}>
      {(system) => {
        const uri = system.SerialConsole?.WebSocket?.ConsoleURI
        return uri ? <Session uri={uri} system={system} /> : <p class="absent">{t('noConsole')}</p>
      }}
    </Loaded>
  )
}

/** The first and the longest wait before the console is opened again, in milliseconds. */
const [firstWait, longestWait] = [500, 8000]

/** Characters a second for what is pasted: the second one is slower than a line of 9600 baud. */
const rates = [50, 500, 5000] as const

function Session({ uri, system }: { readonly uri: string; readonly system: System }) {
  const frame = useRef<HTMLElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const console = useRef<OpenConsole | undefined>(undefined)
  const screen = useRef<Screen | undefined>(undefined)
  const [round, setRound] = useState(0)
  const [state, setState] = useState<'opening' | 'connected' | 'lost'>('opening')
  const [failure, setFailure] = useState<Failure | undefined>()
  const [left, setLeft] = useState(0)
  const typist = useMemo(() => new Typist((text) => console.current?.type(text), setLeft, rates[1]), [])
  useEffect(() => {
    let isLeft = false
    /** Opens it, and settles when the connection has ended. */
    const open = async (show: Show) => {
      let isFirst = true
      const said = (bytes: Uint8Array) => {
        if (isLeft || place.current === null) return
        // The first bytes are the whole history, including the output that the last terminal has shown.
        if (isFirst) screen.current?.close()
        if (isFirst) screen.current = show(place.current, (text, isPasted) => typist.type(text, isPasted))
        isFirst = false
        screen.current?.write(bytes)
      }
      await new Promise<void>((over, failed) => {
        openConsole(uri, said, over).then((opened) => {
          console.current = opened
          if (isLeft) opened.close()
          else setState('connected')
        }, failed)
      })
    }
    const run = async () => {
      const show = await loadTerminal()
      for (let wait = firstWait; !isLeft; wait = Math.min(wait * 2, longestWait)) {
        try {
          await open(show)
          wait = firstWait
        } catch (error) {
          const cause = failureOf(error)
          if (cause.status > 0 && cause.status < 500) return setFailure(cause)
        }
        typist.stop()
        if (!isLeft) setState('lost')
        await new Promise((resolve) => setTimeout(resolve, wait))
      }
    }
    setState('opening')
    setFailure(undefined)
    void run()
    return () => {
      isLeft = true
      typist.stop()
      console.current?.close()
      screen.current?.close()
    }
  }, [uri, round])
  const isReady = state === 'connected'
  const breakTarget = system.Oem?.Vendor?.Actions?.['#VendorComputerSystemExt.SendBreak']?.target
  return (
    <section class="card terminal" ref={frame} aria-label={t('console')}>
      <div class="row">
        <PowerState of={system.PowerState} />
        {system.BootProgress?.LastState && <span>{labelOf(system.BootProgress.LastState)}</span>}
        <span role="status">{failure === undefined && t(state)}</span>
        {failure !== undefined && (
          <button type="button" onClick={() => setRound(round + 1)}>
            {t('again')}
          </button>
        )}
        <span class="row push">
          <Copy text={() => screen.current?.text() ?? ''} />
          <Paste typist={typist} isReady={isReady} />
          <Keys
            isReady={isReady}
            type={(text) => typist.type(text, false)}
            sendBreak={breakTarget === undefined ? undefined : () => send('POST', breakTarget, {})}
          />
          <FullScreen of={frame} />
        </span>
      </div>
      <Problem failure={failure} />
      {left > 0 && (
        <p class="row">
          {t('pasteLeft', left)}
          <button type="button" onClick={() => typist.stop()}>
            {t('stop')}
          </button>
        </p>
      )}
      <div ref={place} class="console" />
      <small>{isReady && t('leaveConsole')}</small>
    </section>
  )
}

/** Copies what is selected, or all of it. */
function Copy({ text }: { readonly text: () => string }) {
  const [word, setWord] = useState<'copy' | 'copied' | 'noCopy'>('copy')
  const copy = async () => {
    setWord(
      await navigator.clipboard.writeText(text()).then(
        () => 'copied',
        () => 'noCopy'
      )
    )
    setTimeout(() => setWord('copy'), 2000)
  }
  return (
    <button type="button" title={t('copyHint')} onClick={() => void copy()}>
      {t(word)}
    </button>
  )
}

/** Text that is sent as slowly as the host reads it. */
function Paste({ typist, isReady }: { readonly typist: Typist; readonly isReady: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [rate, setRate] = useState<number>(typist.rate)
  const id = useId()
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    typist.rate = rate
    // A terminal sends a carriage return for the end of a line.
    typist.type(text.replace(/\r?\n/g, '\r'), true)
    setOpen(false)
    setText('')
  }
  return (
    <>
      <button type="button" disabled={!isReady} onClick={() => setOpen(true)}>
        {t('paste')}
      </button>
      {isOpen && (
        <Modal title={t('paste')} onClose={() => setOpen(false)}>
          <form onSubmit={send}>
            <label for={id}>{t('text')}</label>
            <textarea id={id} rows={6} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
            <Segments
              label={t('charactersASecond')}
              choices={rates.map((each) => [String(each), each.toLocaleString(locale.value)] as const)}
              value={String(rate)}
              onChoose={(each) => setRate(Number(each))}
            />
            <div class="row end">
              <button type="button" onClick={() => setOpen(false)}>
                {t('cancel')}
              </button>
              <button type="submit" class="primary" disabled={text === ''}>
                {t('send')}
              </button>
            </div>
          </form>
        </Modal>
      )}
    </>
  )
}

/** Keys that the browser keeps to itself, as the terminal of the host's firmware expects them. */
function Keys({
  isReady,
  type,
  sendBreak
}: {
  readonly isReady: boolean
  readonly type: (text: string) => void
  /** Undefined where the serial line has no breaks. */
  readonly sendBreak: (() => Promise<unknown>) | undefined
}) {
  const [set, setSet] = useState<KeySet>('xterm')
  const [failure, setFailure] = useState<Failure | undefined>()
  const command = async (text: string) => {
    setFailure(undefined)
    try {
      await sendBreak?.()
      type(text)
    } catch (error) {
      setFailure(failureOf(error))
    }
  }
  return (
    <Popover button={t('keys')}>
      <Segments
        label={t('terminalType')}
        choices={[
          ['xterm', 'xterm'],
          ['VT100+', 'VT100+']
        ]}
        value={set}
        onChoose={setSet}
      />
      <div class="keys">
        {[...functionKeys, ...otherKeys].map((each) => (
          <button key={each} type="button" disabled={!isReady} onClick={() => type(sequenceOf(each, set))}>
            {each}
          </button>
        ))}
      </div>
      {sendBreak && (
        <fieldset>
          <legend>{t('sysRq')}</legend>
          <div class="row">
            <button type="button" disabled={!isReady} onClick={() => void command('')}>
              {t('break')}
            </button>
            {sysRqCommands.map(([key, name]) => (
              <button key={key} type="button" disabled={!isReady} onClick={() => void command(key)}>
                {t(name)}
              </button>
            ))}
          </div>
          <Problem failure={failure} />
        </fieldset>
      )}
    </Popover>
  )
}

/** Shows an element on the whole screen, until Escape. */
function FullScreen({ of }: { readonly of: { readonly current: HTMLElement | null } }) {
  if (!document.fullscreenEnabled) return null
  return (
    <button type="button" onClick={() => void of.current?.requestFullscreen()}>
      {t('fullScreen')}
    </button>
  )
}

type Show = (element: HTMLElement, typed: (text: string, isPasted: boolean) => void) => Screen

/** The terminal, or in a build without it, a plain one: text, and a line to type into. */
async function loadTerminal(): Promise<Show> {
  try {
    const { openTerminal } = await import('../terminal.ts')
    return openTerminal
  } catch {
    return openPlain
  }
}

function openPlain(element: HTMLElement, typed: (text: string, isPasted: boolean) => void): Screen {
  const said = document.createElement('pre')
  const line = document.createElement('input')
  line.setAttribute('aria-label', t('typeHere'))
  line.placeholder = t('typeHere')
  said.tabIndex = 0
  said.setAttribute('role', 'log')
  line.onkeydown = (event) => {
    if (event.key !== 'Enter') return
    typed(`${line.value}\r`, true)
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
    text: () => String(getSelection()) || (said.textContent ?? ''),
    close: () => element.replaceChildren()
  }
}
