import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../words/index.ts'

interface Question {
  readonly title: string
  readonly text: string
  /** The word on the button that goes on. */
  readonly yes: string
  readonly answer: (isYes: boolean) => void
}

const asked = signal<Question | undefined>(undefined)

/** Asks the user before something that cannot be undone. */
export function confirm(title: string, text: string, yes: string): Promise<boolean> {
  return new Promise((resolve) => {
    asked.value = {
      title,
      text,
      yes,
      answer(isYes) {
        asked.value = undefined
        resolve(isYes)
      }
    }
  })
}

/** Where questions are asked: once in the page. */
export function Questions() {
  const question = asked.value
  if (question === undefined) return null
  return (
    <Modal title={question.title} onClose={() => question.answer(false)}>
      <p>{question.text}</p>
      <div class="row end">
        <button type="button" onClick={() => question.answer(false)}>
          {t('cancel')}
        </button>
        <button type="button" class="danger" onClick={() => question.answer(true)}>
          {question.yes}
        </button>
      </div>
    </Modal>
  )
}

/** A dialog in front of the page, which keeps the focus until it is closed. */
export function Modal(props: {
  readonly title: string
  readonly onClose: (() => void) | undefined
  readonly children: preact.ComponentChildren
}) {
  const { title, onClose, children } = props
  const element = useRef<HTMLDialogElement>(null)
  // At once: the focus is not to stay behind it.
  useLayoutEffect(() => element.current?.showModal(), [])
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  )
}
