import t from 'tap'
import { plainText } from '#runtime/page/rules/plain-text.ts'

t.test('a console is read as text, wherever its pieces end', async (t) => {
  const output = 'boot\r\n\x1b[1;31mred\x1b[0m ab\b\bcd \x1b]0;title\x07x\x1b(By\x1bMz\r\n'
  for (let size = 1; size <= output.length; size += 1) {
    const read = plainText(1000)
    let text = ''
    for (let at = 0; at < output.length; at += size) text = read(output.slice(at, at + size))
    t.equal(text.replace(/\n+/g, '\n'), 'boot\nred cd xyz\n', `in pieces of ${size}`)
  }
})

t.test('of a long output the end is kept', async (t) => {
  t.equal(plainText(3)('abcdef'), 'def')
})
