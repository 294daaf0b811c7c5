/** The keys that the page listens to, whatever has the focus; `word` names what each does. */
export const shortcuts = [
  { word: 'find', shown: 'Ctrl K', keys: ['k'], isChord: true },
  { word: 'searchHere', shown: '/', keys: ['/'], isChord: false },
  // The second one is the question mark of Arabic keyboards.
  { word: 'shortcuts', shown: '?', keys: ['?', '؟'], isChord: false }
] as const

export type ShortcutName = (typeof shortcuts)[number]['word']

/** A key press, as the browser reports it. */
interface Press {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
}

/** The shortcut for a key press. @param takesSingle whether single keys are shortcuts now: not while the user types */
export function shortcutOf({ key, ctrlKey, metaKey, altKey }: Press, takesSingle: boolean): ShortcutName | undefined {
  const isChord = ctrlKey || metaKey
  if (altKey || !(isChord || takesSingle)) return undefined
  const pressed = key.toLowerCase()
  return shortcuts.find((each) => each.isChord === isChord && each.keys.some((one) => one === pressed))?.word
}
