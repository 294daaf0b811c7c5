import t from 'tap'
import { eventReader, type ServerSentEvent } from '#runtime/page/service/event-stream.ts'

const stream =
  ': these are the events\n\nid: 7\ndata: {"a":\ndata: 1}\n\n:\n\nid: 8\r\ndata:x\r\n\r\nretry: 1\nid: 9\n\n'

t.test('a stream is read the same, wherever its pieces end', async (t) => {
  const expected = [
    { id: '7', data: '{"a":\n1}' },
    { id: '8', data: 'x' }
  ]
  for (let size = 1; size <= stream.length; size += 1) {
    const found: ServerSentEvent[] = []
    const add = eventReader((event) => found.push(event))
    for (let at = 0; at < stream.length; at += size) add(stream.slice(at, at + size))
    t.same(found, expected, `in pieces of ${size}`)
  }
})

t.test('an incomplete event is not passed on', async (t) => {
  const found: ServerSentEvent[] = []
  eventReader((event) => found.push(event))('id: 1\ndata: x\n')
  t.same(found, [])
})
