import { signal } from '@preact/signals'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../frame/icons.tsx'
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

/** A dialog in front of the page, or a panel at its side, which keeps the focus until it is closed. */
export function Modal(props: {
  readonly title: string
  readonly kind?: 'panel'
  readonly onClose: (() => void) | undefined
  readonly children: preact.ComponentChildren
}) {
  const { title, kind, onClose, children } = props
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before paint: the focus must not stay behind the dialog. Closing it, unlike removal alone, restores the focus.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      class={kind}
      aria-labelledby={id}
      onCancel={(event) => {
        // A choice of a file that is given up tells its input so, and that event bubbles.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onClose?.()
      }}
    >
      <h2 id={id}>
        <bdi>{title}</bdi>
      </h2>
      {kind === 'panel' && (
        <button type="button" class="plain-look close" aria-label={t('close')} onClick={onClose}>
          <Icon name="close" />
        </button>
      )}
      {children}
    </dialog>
  )
}
