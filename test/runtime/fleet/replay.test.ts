import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { readEvents } from '#runtime/fleet/replay.ts'

const event = (name: string, EventTimestamp?: string) => ({ MessageId: `Alert.1.0.${name}`, EventTimestamp })

function read(t: Test, text: string) {
  const file = `${t.testdir()}/events.txt`
  writeFileSync(file, text)
  return readEvents(file).map(({ after, test }) => [after, test.messageId.replace('Alert.1.0.', '')])
}

t.test('a stream has its events at the distances of their times, in that order', async (t) => {
  const first = { Events: [event('Hot', '2026-01-02T10:00:05+02:00'), event('Fan', '2026-01-02T08:00:00Z')] }
  const report = { '@odata.type': '#MetricReport.v1_4_0.MetricReport', MetricValues: [] }
  const second = JSON.stringify({ Events: [event('Cool', '2026-01-02T08:01:00.500Z'), event('Untimed')] }, undefined, 1)
  const text = [
    ': a comment',
    'id: 7',
    `data: ${JSON.stringify(first)}`,
    '',
    `data:${JSON.stringify(report)}`,
    '',
    'event: message',
    ...second.split('\n').map((line) => `data: ${line}`),
    ''
  ]
  const expected = [
    [0, 'Fan'],
    [5000, 'Hot'],
    [60_500, 'Cool'],
    [60_500, 'Untimed']
  ]
  t.strictSame(read(t, text.join('\n')), expected)
  t.strictSame(read(t, text.join('\r\n')), expected)
})

t.test('a file may have a line of JSON for each resource, or event', async (t) => {
  const lines = [{ Events: [event('Fan', '2026-01-02T08:00:00Z')] }, event('Hot', '2026-01-02T08:00:01Z')]
  t.strictSame(read(t, lines.map((each) => JSON.stringify(each)).join('\n')), [
    [0, 'Fan'],
    [1000, 'Hot']
  ])
})

t.test('a file without events, or that is cut off, is refused with its line', async (t) => {
  t.throws(() => read(t, ': nothing\n'), { message: /events\.txt has no events$/ })
  t.throws(() => read(t, 'data: {}\n\ndata: {"Events": [{\n'), { message: /events\.txt:3: this is not JSON$/ })
  t.throws(() => readEvents(`${t.testdir()}/none`), { message: /ENOENT/ })
})
