import { Terminal } from '@xterm/xterm'
import style from '@xterm/xterm/css/xterm.css' with { type: 'text' }

/** Something that shows what a console says. */
export interface Screen {
  write(bytes: Uint8Array): void
  /** The selected text; without a selection, the whole text. */
  text(): string
  close(): void
}

/** The characters of a screen that firmware and boot loaders draw. */
const [columns, rows] = [80, 24]

/** Sizes of its letters, in pixels: a narrow frame gets smaller ones, so that a line fits. */
const [smallest, normal] = [8, 14]

/** How wide a letter is, as a part of its height. */
const widthOfLetter = 0.62

/** Shows a terminal in an element. @param typed called with what the user types, and whether it was pasted */
export function openTerminal(element: HTMLElement, typed: (text: string, isPasted: boolean) => void): Screen {
  const terminal = new Terminal({ screenReaderMode: true, fontSize: normal, cols: columns, rows })
  terminal.open(element)
  let isPasted = false
  terminal.onData((text) => {
    typed(text, isPasted)
    isPasted = false
  })
  // The terminal reports pasted text as data right after this event.
  const onPaste = () => {
    isPasted = true
  }
  element.addEventListener('paste', onPaste, true)
  // All other keys are the host's; this one leaves the terminal.
  terminal.attachCustomKeyEventHandler(({ key, shiftKey }) => !(key === 'Tab' && shiftKey))
  terminal.focus()
  const watch = new ResizeObserver(() => fit(terminal, element))
  watch.observe(element)
  return {
    write: (bytes) => terminal.write(bytes),
    text: () => terminal.getSelection() || wholeText(terminal),
    close() {
      watch.disconnect()
      element.removeEventListener('paste', onPaste, true)
      terminal.dispose()
    }
  }
}

/** Gives a terminal as many lines and columns as its frame has room for, at least those of a screen. */
function fit(terminal: Terminal, frame: HTMLElement): void {
  const { clientWidth: width, clientHeight: height } = frame
  const drawn = frame.querySelector<HTMLElement>('.xterm-screen')
  if (drawn === null || width === 0 || drawn.clientWidth === 0) return
  const scrollBar = 20
  const room = width - scrollBar
  const size = Math.max(smallest, Math.min(normal, Math.floor(room / columns / widthOfLetter)))
  if (terminal.options.fontSize !== size) terminal.options.fontSize = size
  const letter = { width: drawn.clientWidth / terminal.cols, height: drawn.clientHeight / terminal.rows }
  const wanted = {
    cols: Math.max(columns, Math.floor(room / letter.width)),
    rows: Math.max(rows, Math.floor((height - scrollBar) / letter.height))
  }
  if (wanted.cols !== terminal.cols || wanted.rows !== terminal.rows) terminal.resize(wanted.cols, wanted.rows)
}

/** All that the terminal holds, by the lines that the host wrote: where the frame broke one, it is whole again. */
function wholeText({ buffer: { active } }: Terminal): string {
  let text = ''
  for (let index = 0; index < active.length; index += 1) {
    text += active.getLine(index)?.translateToString(true) ?? ''
    if (active.getLine(index + 1)?.isWrapped !== true) text += '\n'
  }
  return text.trimEnd()
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
