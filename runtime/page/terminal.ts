import { Terminal } from '@xterm/xterm'
import style from '@xterm/xterm/css/xterm.css' with { type: 'text' }

/** Something that shows what a console says. */
export interface Screen {
  write(bytes: Uint8Array): void
  close(): void
}

/** Shows a terminal in an element. @param typed called with what the user types */
export function openTerminal(element: HTMLElement, typed: (text: string) => void): Screen {
  const terminal = new Terminal({ screenReaderMode: true, fontSize: 14 })
  terminal.open(element)
  terminal.onData(typed)
  // All other keys are the host's; this one leaves the terminal.
  terminal.attachCustomKeyEventHandler(({ key, shiftKey }) => !(key === 'Tab' && shiftKey))
  terminal.focus()
  return { write: (bytes) => terminal.write(bytes), close: () => terminal.dispose() }
}

function addSheet(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  document.adoptedStyleSheets.push(sheet)
  return sheet
}

/**
 * The page's policy allows no inline style, which the terminal makes a lot of. The same text is fine as a constructed
 * sheet, and the same declarations as properties.
 */
function keepToPolicy(): void {
  const create = document.createElement.bind(document)
  document.createElement = (tag: string, options?: ElementCreationOptions) =>
    tag === 'style' ? styleLike(create('span')) : create(tag, options)
  const { setAttribute } = HTMLElement.prototype
  HTMLSpanElement.prototype.setAttribute = function (name, value) {
    if (name === 'style') this.style.cssText = value
    else setAttribute.call(this, name, value)
  }
}

/** An element that takes its text for a style, as a style element does. */
function styleLike(element: HTMLElement): HTMLElement {
  const sheet = addSheet('')
  const set = (text: string) => sheet.replaceSync(text)
  element.hidden = true
  return Object.defineProperties(element, { textContent: { set }, innerText: { set }, sheet: { value: sheet } })
}

keepToPolicy()
addSheet(style)
