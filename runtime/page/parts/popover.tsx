import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../frame/icons.tsx'

interface Props {
  /** The accessible name of the button, where its content does not say it. */
  readonly label?: string | undefined
  /** The content of the button. */
  readonly button: ComponentChildren
  readonly kind?: 'plain-look' | ''
  /** Which side of the button it is aligned with. */
  readonly side?: 'start' | 'end'
  /** May be made with what closes it. */
  readonly children: ComponentChildren | ((close: () => void) => ComponentChildren)
}

/** A button that shows more below it, until Escape, a link in it, or until something elsewhere has the focus or is pressed. */
export function Popover({ label, button, kind = '', side = 'end', children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const element = useRef<HTMLDivElement>(null)
  const back = () => {
    setOpen(false)
    element.current?.querySelector('button')?.focus()
  }
  useLayoutEffect(() => {
    if (!isOpen) return
    const close = ({ target }: Event) => {
      const isInside = target instanceof Node && element.current?.contains(target)
      // A question about what was pressed here stands in front of the page, and belongs to it.
      const isAsked = target instanceof Element && target.closest('dialog') !== null
      if (!isInside && !isAsked) setOpen(false)
    }
    addEventListener('pointerdown', close)
    addEventListener('focusin', close)
    const root = element.current
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') back()
    }
    const onClick = ({ target }: Event) => {
      if (target instanceof Element && target.closest('a') !== null) setOpen(false)
    }
    root?.addEventListener('keydown', onKey)
    root?.addEventListener('click', onClick)
    return () => {
      root?.removeEventListener('click', onClick)
      root?.removeEventListener('keydown', onKey)
      removeEventListener('pointerdown', close)
      removeEventListener('focusin', close)
    }
  }, [isOpen])
  return (
    <div ref={element} class={`popover ${side}`}>
      <button type="button" class={kind} aria-label={label} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {button} <Icon name="down" />
      </button>
      {isOpen && <div>{typeof children === 'function' ? children(back) : children}</div>}
    </div>
  )
}
