import t from 'tap'
import { History } from '#runtime/service/console/history.ts'

t.test('a history has the last bytes of pieces of any length', async (t) => {
  for (const limit of [1, 7, 64]) {
    const history = new History(limit)
    let all = ''
    for (let length = 0; length < 40; length += 1) {
      const piece = String.fromCharCode(0x41 + (length % 26)).repeat((length * 7) % 23)
      history.add(Buffer.from(piece))
      all += piece
      t.equal(Buffer.from(history.bytes).toString(), all.slice(-limit), `${limit}, ${length}`)
    }
    history.add(Buffer.from('z'.repeat(1000)))
    t.equal(Buffer.from(history.bytes).toString(), 'z'.repeat(limit))
  }
})
