import t from 'tap'
import { Typist } from '#runtime/page/rules/typist.ts'

/** A typist, what it sends, how much is left, and the end of what is being sent. */
function typing(rate: number) {
  const sent: string[] = []
  const left: number[] = []
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const told = (number: number) => {
    left.push(number)
    if (number === 0) end()
  }
  return { sent, left, ended, typist: new Typist((text) => sent.push(text), told, rate) }
}

t.test('what is typed goes at once', async (t) => {
  const { sent, typist } = typing(20)
  typist.type('ls\r', false)
  t.same(sent, ['ls\r'])
})

t.test('what is pasted goes in pieces, and what is typed meanwhile follows it', async (t) => {
  const { sent, left, ended, typist } = typing(40)
  typist.type('a🙂bcd', true)
  typist.type('e', false)
  t.same(sent, [], 'not at once')
  await ended
  t.same(sent, ['a🙂', 'bc', 'de'])
  t.same(left, [6, 7, 4, 2, 0])
  typist.type('f', false)
  t.equal(sent.at(-1), 'f')
})

t.test('what is left can be forgotten', async (t) => {
  const { sent, typist } = typing(20)
  typist.type('abc', true)
  typist.stop()
  await new Promise((resolve) => setTimeout(resolve, 120))
  t.same(sent, [])
})
