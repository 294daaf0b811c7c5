import t from 'tap'
import { shortcutOf } from '#runtime/page/rules/shortcuts.ts'

const press = (key: string, held: object = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...held })

t.test('a chord is a shortcut also while the user types, and a single key is not', async (t) => {
  t.equal(shortcutOf(press('K', { ctrlKey: true }), false), 'find')
  t.equal(shortcutOf(press('k', { metaKey: true }), false), 'find')
  t.equal(shortcutOf(press('?'), false), undefined)
  for (const key of ['?', '؟']) t.equal(shortcutOf(press(key), true), 'shortcuts')
})

t.test('a key with missing or additional modifiers is not a shortcut', async (t) => {
  t.equal(shortcutOf(press('k'), true), undefined)
  t.equal(shortcutOf(press('?', { ctrlKey: true }), true), undefined)
  t.equal(shortcutOf(press('/', { altKey: true }), true), undefined)
})
